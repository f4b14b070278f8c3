import { type BuildRequest, type ConverterDescriptor, type Invocation, isFileName, SOURCE, type Step } from './converter.js';
import { restrictions } from './ffmpeg/input-options.js';

/** Technical metadata: the output of ffprobe as JSON, with streams, format and chapters. */
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
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(mediaType === 'image' ? 'image' : 'media'),
    ...['-print_format', 'json', '-show_format', '-show_streams', '-show_chapters', '-i', `file:${SOURCE}`],
  ];
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [{ program: 'ffprobe', argv, stdout: output }], output };
}

/** A file in the folder that is to be measured. */
export interface Measured {
  readonly file: string;
  readonly holds: 'media' | 'image';
  /** ffmpeg's name of its format; null: ffprobe detects it. */
  readonly demuxer: string | null;
}

/** The facts about picture and sound, and no text of the file's author. */
const ENTRIES = [
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,duration,avg_frame_rate,r_frame_rate',
  'stream_tags=rotate,DURATION',
  'stream_disposition=attached_pic,timed_thumbnails',
  'stream_side_data=rotation',
  'format=duration,format_name',
].join(':');

/** The step that measures a file; `stdout` is the file for the output, which `parseProbe` reads. */
export function buildProbe({ file, holds, demuxer }: Measured, stdout: string): Step {
  if (!isFileName(file)) throw new Error(`Not a name of a file in the folder of a transcoding: ${file}`);
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(holds),
    ...(demuxer === null ? [] : ['-f', demuxer]),
    ...['-print_format', 'json', '-show_entries', ENTRIES, '-i', `file:${file}`],
  ];
  return { program: 'ffprobe', argv, stdout };
}
