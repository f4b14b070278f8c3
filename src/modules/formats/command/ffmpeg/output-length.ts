import type { FormatSettings, Parameters } from '../../format-settings.js';
import type { SourceFacts } from '../source-facts.js';

/** Seconds of a test, when the format does not say. */
const TEST_SECONDS = 5;

/** The second at which reading begins: that of `ss`; the middle of a source that is shorter. */
export function startOf({ ss }: Parameters, { duration }: Pick<SourceFacts, 'duration'>): number {
  const wanted = Number(ss ?? 0);
  return duration !== null && wanted > 0 && wanted >= duration ? Number((duration / 2).toFixed(3)) : wanted;
}

/** The most seconds that are made: those of `t`, and of the test mode; null: no limit. */
export function longestOutput({ t }: Parameters, { testMode }: FormatSettings): number | null {
  const limits = [...(t === undefined ? [] : [Number(t)]), ...(testMode ? [testMode.seconds ?? TEST_SECONDS] : [])];
  return limits.length > 0 ? Math.min(...limits) : null;
}

/** How many seconds ffmpeg makes of a source, as far as its filters leave the speed alone; null: not known. */
export function outputLength(command: Parameters, settings: FormatSettings, source: Pick<SourceFacts, 'duration'>): number | null {
  const rest = source.duration === null ? null : source.duration - startOf(command, source);
  const longest = longestOutput(command, settings);
  return rest === null || longest === null ? (rest ?? longest) : Math.min(rest, longest);
}
