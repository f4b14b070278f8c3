import type { Invocation } from '../invocation.js';
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
