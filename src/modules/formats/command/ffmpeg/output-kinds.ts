/** What a file type holds, and how ffmpeg writes it. */
export interface OutputKind {
  readonly holds: 'video' | 'audio' | 'image';
  readonly muxer: string;
  /** Options that this type always needs. */
  readonly options: readonly string[];
}

const video = (muxer: string, ...options: string[]): OutputKind => ({ holds: 'video', muxer, options });
const audio = (muxer: string): OutputKind => ({ holds: 'audio', muxer, options: [] });
/** One picture; image2 would otherwise look for a pattern in the file's name. */
const image = (): OutputKind => ({ holds: 'image', muxer: 'image2', options: ['-frames:v', '1', '-update', '1'] });

/** The file types that ffmpeg makes, in small letters. */
export const OUTPUT_KINDS: ReadonlyMap<string, OutputKind> = new Map([
  ['mp4', video('mp4')],
  ['m4v', video('mp4')],
  ['mov', video('mov')],
  ['webm', video('webm')],
  ['mkv', video('matroska')],
  ['ts', video('mpegts')],
  ['gif', video('gif', '-an')],
  ['mp3', audio('mp3')],
  ['m4a', audio('ipod')],
  ['aac', audio('adts')],
  ['flac', audio('flac')],
  ['wav', audio('wav')],
  ['ogg', audio('ogg')],
  ['opus', audio('opus')],
  ['jpg', image()],
  ['png', image()],
  ['webp', image()],
]);
