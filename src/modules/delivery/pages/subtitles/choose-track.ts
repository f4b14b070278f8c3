import type { PlayerSettings } from '../../../player-configurations/index.js';
import { isSameLanguage } from './language-of.js';

export type SubtitleSettings = NonNullable<PlayerSettings['subtitle']>;

/** Without a setting subtitles wait until they are chosen. */
export const DEFAULT_BEHAVIOUR = 4;

/**
 * Which track is on when the player opens; null: none. `viewerLanguages`: the preferred one first. Of tracks that fit the one at `default`
 * is taken before the others.
 */
export function chooseTrack(
  { behaviour = DEFAULT_BEHAVIOUR, default: preferred, lang }: SubtitleSettings,
  trackLanguages: readonly (string | null)[],
  viewerLanguages: readonly string[],
): number | null {
  const first = (fits: (language: string | null) => boolean): number | null => {
    const indexes = trackLanguages.flatMap((language, index) => (fits(language) ? [index] : []));
    return indexes.find((index) => index === preferred) ?? indexes[0] ?? null;
  };
  const inLanguage = (wanted: string) => first((language) => language !== null && isSameLanguage(language, wanted));
  if (behaviour === 1) return lang ? inLanguage(lang) : first((_) => true);
  if (behaviour === 2) return viewerLanguages.map(inLanguage).find((index) => index !== null) ?? null;
  if (behaviour === 3) return preferred === undefined && lang ? (inLanguage(lang) ?? first((_) => true)) : first((_) => true);
  return null;
}
