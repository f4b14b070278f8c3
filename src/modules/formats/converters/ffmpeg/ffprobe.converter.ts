import { type BuildRequest, type ConverterDescriptor, type Invocation, isFileName, SOURCE, type Step } from '../converter.js';

/**
 * Demuxers of files that contain their media. Demuxers that open other files are excluded: hls, dash, concat, sdp, image2, subtitles. A playlist
 * named video.mp4 is detected and refused.
 */
const MEDIA = `aac ac3 aiff amr ape asf au avi caf dts dtshd dv eac3 flac flv gif gxf h264 hevc ivf m4v matroska mov mp3 mpeg mpegts
  mpegvideo mxf nut ogg tta w64 wav wv`
  .split(/\s+/)
  .join(',');
const IMAGES = 'bmp_pipe,gif,jpeg_pipe,png_pipe,tiff_pipe,webp_pipe';

/** 16384 x 8192 pixels; a larger picture counts as a decompression bomb. */
const MAX_PIXELS = 134_217_728;
/** Bytes that ffmpeg may allocate at once: several times the largest picture in 16 bits. */
export const MAX_ALLOC = 1_073_741_824;

/** Returns the options for an input. ffmpeg may read only this file, as one of the listed formats. */
export const readFrom = (name: string, holds: 'media' | 'image', options: readonly string[] = []): readonly string[] => [
  ...options,
  ...restrictions(holds),
  '-i',
  `file:${name}`,
];

const restrictions = (holds: 'media' | 'image'): readonly string[] => [
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  holds === 'media' ? MEDIA : IMAGES,
  '-max_pixels',
  String(MAX_PIXELS),
];

/** Makes technical metadata: the output of ffprobe as JSON, with streams, format and chapters. */
export const ffprobeConverter = {
  name: 'ffprobe',
  parameters: new Map(),
  filetypes: ['json'],
  defaultFiletype: 'json',
  source: 'any',
  result: 'technicalMetadata',
  programs: () => ['ffprobe'],
  build: buildFfprobe,
} as const satisfies ConverterDescriptor;

function buildFfprobe({ source: { mediaType } }: Pick<BuildRequest, 'source'>): Invocation {
  const output = 'output.json';
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  const step = buildDescription(SOURCE, output, mediaType === 'image' ? 'image' : 'media');
  return { kind: 'run', inputs, files: [], steps: [step], output };
}

/** JSON with tags as they are stored, in whatever encoding (readProbeAnswer). */
const JSON_OF_TAGS = 'json=string_validation=ignore';

/** Builds the step that describes a file completely; `stdout` is the file for the output. */
export function buildDescription(file: string, stdout: string, holds: Measured['holds'] = 'media'): Step {
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(holds),
    ...['-print_format', JSON_OF_TAGS, '-show_format', '-show_streams', '-show_chapters', '-i', `file:${file}`],
  ];
  return { program: 'ffprobe', argv, stdout };
}

/** A file to measure in the folder. */
export interface Measured {
  readonly file: string;
  readonly holds: 'media' | 'image';
  /** ffmpeg's name of its format; null: ffprobe detects it. */
  readonly demuxer: string | null;
}

/** The facts about picture and sound, and the texts of the author that renditions keep. */
const ENTRIES = [
  `stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,duration,avg_frame_rate,r_frame_rate,color_transfer,color_primaries,
  color_space,color_range,field_order,channels`.replaceAll(/\s/g, ''),
  'stream_tags=rotate,DURATION,language,title',
  'stream_disposition=default,comment,descriptions,visual_impaired,attached_pic,timed_thumbnails',
  'stream_side_data=rotation',
  'format=duration,format_name,start_time',
  'format_tags=title,artist,album,album_artist,composer,genre,date,track,disc',
].join(':');

/** Builds the step that measures a file; `stdout` is the file for the output, which `parseProbe` reads. */
export function buildProbe({ file, holds, demuxer }: Measured, stdout: string): Step {
  if (!isFileName(file)) throw new Error(`Not a name of a file in the folder of a transcoding: ${file}`);
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(holds),
    ...(demuxer === null ? [] : ['-f', demuxer]),
    ...['-print_format', JSON_OF_TAGS, '-show_entries', ENTRIES, '-i', `file:${file}`],
  ];
  return { program: 'ffprobe', argv, stdout };
}

/** Builds the step that prints a line for each packet of a file: index of the stream, time and duration in seconds, which may be `N/A`. */
export function buildPacketProbe(file: string): Step {
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions('media'),
    ...['-print_format', 'csv=p=0', '-show_entries', 'packet=stream_index,pts_time,duration_time', '-i', `file:${file}`],
  ];
  return { program: 'ffprobe', argv, stdout: null };
}
