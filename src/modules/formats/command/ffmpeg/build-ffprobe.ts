import { type Invocation, isFileName, type Step } from '../invocation.js';
import { SOURCE } from '../job-names.js';
import type { SourceFacts } from '../source-facts.js';
import { restrictions } from './input-options.js';

/** What ffprobe says of a file, as JSON: its streams, its format, its chapters. */
export function buildFfprobe({ mediaType }: Pick<SourceFacts, 'mediaType'>): Invocation {
  const output = 'output.json';
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(mediaType === 'image' ? 'image' : 'media'),
    ...['-print_format', 'json', '-show_format', '-show_streams', '-show_chapters', '-i', `file:${SOURCE}`],
  ];
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [{ program: 'ffprobe', argv, stdout: output }], output };
}

/** A file in the job's folder that is to be measured. */
export interface Measured {
  readonly file: string;
  readonly holds: 'media' | 'image';
  /** ffmpeg's name of its format; null: it goes by the content. */
  readonly demuxer: string | null;
}

/** What a picture and its sound are, and nothing that somebody wrote into the file. */
const ENTRIES = [
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,duration,avg_frame_rate,r_frame_rate',
  'stream_tags=rotate,DURATION',
  'stream_disposition=attached_pic,timed_thumbnails',
  'stream_side_data=rotation',
  'format=duration,format_name',
].join(':');

/** Measures a file: what `parseProbe` reads becomes `stdout`. */
export function buildProbe({ file, holds, demuxer }: Measured, stdout: string): Step {
  if (!isFileName(file)) throw new Error(`Not a name of a file in the job's folder: ${file}`);
  const argv = [
    ...['-hide_banner', '-loglevel', 'error'],
    ...restrictions(holds),
    ...(demuxer === null ? [] : ['-f', demuxer]),
    ...['-print_format', 'json', '-show_entries', ENTRIES, '-i', `file:${file}`],
  ];
  return { program: 'ffprobe', argv, stdout };
}
