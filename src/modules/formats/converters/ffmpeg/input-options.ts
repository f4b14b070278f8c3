/**
 * Demuxers of files that contain their media. Demuxers that open other files are excluded: hls, dash, concat, sdp, image2, subtitles. A playlist
 * that is called video.mp4 is detected and refused.
 */
const MEDIA = `aac ac3 aiff amr ape asf au avi caf dv eac3 flac flv gif gxf h264 hevc ivf m4v matroska mov mp3 mpeg mpegts
  mpegvideo mxf nut ogg tta w64 wav wv`
  .split(/\s+/)
  .join(',');
const IMAGES = 'bmp_pipe,gif,jpeg_pipe,png_pipe,tiff_pipe,webp_pipe';

/** A picture of 16384 x 8192; more counts as a decompression bomb. */
const MAX_PIXELS = 134_217_728;
/** Bytes that ffmpeg may allocate at once: several times the largest picture in 16 bits. */
export const MAX_ALLOC = 1_073_741_824;

/** Options for an input. ffmpeg may read this one file only, as one of the listed formats. */
export const readFrom = (name: string, holds: 'media' | 'image', options: readonly string[] = []): readonly string[] => [
  ...options,
  ...restrictions(holds),
  '-i',
  `file:${name}`,
];

export const restrictions = (holds: 'media' | 'image'): readonly string[] => [
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  holds === 'media' ? MEDIA : IMAGES,
  '-max_pixels',
  String(MAX_PIXELS),
];
