import { BLUEPRINTS } from '../../src/modules/formats/blueprints/blueprints.js';
import type { FormatSettings } from '../../src/modules/formats/index.js';
import type { MediaType } from '../../src/modules/media/index.js';

/** With CORPUS=complete every file of the corpus is converted to every format that takes it, which takes about seven minutes. */
const isComplete = process.env.CORPUS === 'complete';
/** The time for one file: for a film about a second for each of its fifteen formats, several times that when the machine is busy. */
export const MAX_WAIT_MS = isComplete ? 300_000 : 60_000;

/** Formats of which the first file of the corpus gets the first, the second file the second, and so on, again and again. */
export type Turns = readonly (readonly string[])[];

/** Files with their numbers. */
export const numbered = <File extends object>(files: readonly File[]): readonly (File & { readonly number: number })[] =>
  files.map((file, number) => ({ ...file, number }));

/** The formats of the file with this number: one of each turn, or all. */
export const formatsOf = (turns: Turns, number: number): readonly string[] =>
  turns.flatMap((turn) => (isComplete ? turn : turn.slice(number % turn.length, (number % turn.length) + 1)));

/** The keys of all blueprints that convert media of a type. */
export const blueprintsFor = (type: MediaType): readonly string[] =>
  BLUEPRINTS.filter(({ converter, settings }) => settings.mediaTypes?.includes(type) && !['original', 'cli'].includes(converter)).map(
    ({ key }) => key,
  );

/** The fastest preset of x264 whose pictures refer to later ones, as those of its usual presets do. */
export const STREAMED_PRESET = 'superfast';

/** Films of the corpus are smaller than some formats are for, and are converted quickly. */
export function settingsOf(key: string): FormatSettings {
  if (key.startsWith('streaming-') && key !== 'streaming-audio') return { parameters: { preset: STREAMED_PRESET, above: 0 } };
  return key.startsWith('h264-') || key === 'video-preview' ? { parameters: { preset: 'ultrafast' } } : {};
}
