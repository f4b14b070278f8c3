/** The names of a job's inputs. Without an extension, so that a program can only go by the content and by what it is told. */
export const SOURCE = 'input';
export const WATERMARK = 'watermark';
export const AUDIO_WATERMARK = 'audio-watermark';
