import type { DeliverableItem } from '../../../media/index.js';
import { isSubtitle } from '../../media-kinds.js';
import { languageName, languageOf } from './language-of.js';

/** Subtitles of a container, as players name them. */
export interface SubtitleTrack {
  readonly mediaId: number;
  /** BCP 47; null: the name of the file tells none. */
  readonly language: string | null;
  readonly label: string;
}

/** The tracks of a container in the order of their files; two of one language are told apart by the names of their files. */
export function subtitleTracks(items: readonly DeliverableItem[]): SubtitleTrack[] {
  const files = items.filter(({ fileExtension }) => isSubtitle(fileExtension));
  const named = files.map((item) => ({ item, language: languageOf(item.fileName) }));
  return named.map(({ item, language }) => {
    const name = language && languageName(language);
    const isAlone = named.filter((other) => other.language === language).length === 1;
    return { mediaId: item.id, language, label: name === null ? item.fileName : isAlone ? name : `${name} (${item.fileName})` };
  });
}
