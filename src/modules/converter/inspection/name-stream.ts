import { canonicalLanguage, languageName } from '../../media/index.js';

/** How viewers find a stream of a film. */
interface StreamName {
  /** BCP 47; null: unknown. */
  readonly language: string | null;
  readonly label: string;
}

/** What a stream is, for a name if the file gives none. */
interface StreamKind {
  readonly noun: string;
  /** Its number among the streams of its kind, from 1. */
  readonly number: number;
  /** What tells it from others of its language; null: nothing. */
  readonly note: string | null;
}

/** Codes for several languages, none, unnamed ones, and for private use (ISO 639-2), which tell viewers nothing. */
const NO_LANGUAGE = /^(?:mis|mul|und|zxx|q[a-t][a-z])$/;
/** Characters of a label, as for uploaded tracks. */
const MAX_LABEL = 255;

/** Names a stream by its title in the file, or else by its language, or else by its number: `Deutsch (commentary)`, `Sound 2`. */
export function nameStream(
  { language: code, title }: { readonly language: string | null; readonly title: string | null },
  { noun, number, note }: StreamKind,
): StreamName {
  const tag = code === null ? null : canonicalLanguage(code);
  const language = tag === null || NO_LANGUAGE.test(tag) ? null : tag;
  const name = language === null ? `${noun} ${number}` : languageName(language);
  return { language, label: title?.slice(0, MAX_LABEL) ?? (note === null ? name : `${name} (${note})`) };
}
