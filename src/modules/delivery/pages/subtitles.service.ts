import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../shared/errors.js';
import { AcceptedObjectsService, type DeliverableItem } from '../../media/index.js';
import type { PlayerSettings } from '../../player-configurations/index.js';
import { isSubtitle } from '../files/choose-file.js';

/** A hundred times the subtitles of a film; larger files are not subtitles and must not fill the memory. */
const MAX_BYTES = 10_000_000;

/** Subtitles on our own origin: browsers load them from other origins only with CORS, and cannot read SubRip. */
@Injectable()
export class SubtitlesService {
  constructor(private readonly objects: AcceptedObjectsService) {}

  /** One of the files as WebVTT. Throws `not_found`, `object_changed`. */
  async read(items: readonly DeliverableItem[], mediaId: number): Promise<string> {
    const item = items.find(({ id, fileExtension }) => id === mediaId && isSubtitle(fileExtension));
    const found = item && item.fileSize <= MAX_BYTES ? await this.objects.read(item) : null;
    if (!found) throw generalErrors.not_found('These subtitles do not exist.');
    if (found.size <= MAX_BYTES) return toWebVtt(await buffer(found.body));
    found.body.destroy();
    throw generalErrors.not_found('This file is too large for subtitles.');
  }
}

/** The time line of a SubRip cue: `00:00:01,000 --> 00:00:04,000`; some write a dot, or one digit for the hours. */
const TIMES = /^[ \t]*(\d{1,3}):(\d{2}):(\d{2})[,.](\d{1,3})[ \t]*-->[ \t]*(\d{1,3}):(\d{2}):(\d{2})[,.](\d{1,3}).*$/gm;

/** Converts subtitles to WebVTT, the only kind that browsers read. */
export function toWebVtt(content: Buffer): string {
  const text = decode(content).replace(/\r\n?/g, '\n');
  if (/^WEBVTT(?:[ \t\n]|$)/.test(text)) return text;
  return `WEBVTT\n\n${text.trimStart().replace(TIMES, cueTimes)}`;
}

function cueTimes(_line: string, ...parts: string[]): string {
  const [h1, m1, s1, f1, h2, m2, s2, f2] = parts;
  const time = (...[hours = '', minutes, seconds, fraction = '']: (string | undefined)[]) =>
    `${hours.padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`;
  return `${time(h1, m1, s1, f1)} --> ${time(h2, m2, s2, f2)}`;
}

/** SubRip names no encoding: what is not UTF-8 or UTF-16 is most often the Western one of Windows. */
function decode(content: Buffer): string {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe;
  if (isUtf16) return new TextDecoder('utf-16le').decode(content);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return new TextDecoder('windows-1252').decode(content);
  }
}

/** Subtitles of a container, as players name them. */
interface SubtitleTrack {
  readonly mediaId: number;
  /** BCP 47; null: the file name does not contain a language. */
  readonly language: string | null;
  readonly label: string;
}

/** The tracks of a container, in the order of their files. Tracks of the same language get their file names added. */
export function subtitleTracks(items: readonly DeliverableItem[]): SubtitleTrack[] {
  const files = items.filter(({ fileExtension }) => isSubtitle(fileExtension));
  const named = files.map((item) => ({ item, language: languageOf(item.fileName) }));
  return named.map(({ item, language }) => {
    const name = language && languageName(language);
    const isAlone = named.filter((other) => other.language === language).length === 1;
    return { mediaId: item.id, language, label: name === null ? item.fileName : isAlone ? name : `${name} (${item.fileName})` };
  });
}

/** `talk.de`, `talk_eng`, `talk-pt-BR`: the language stands behind the last dot, underscore or hyphen. */
const ENDING = /([._-])([a-z]{2,3})(?:[-_]([A-Za-z]{2}))?$/i;

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language in its shortest form (`ger`, `deu`, `DE` → `de`; BCP 47), with its region if there is one; null: the code is not a language. */
export function languageTag(code: string): string | null {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(code);
    return names.of(tag) === undefined || tag === 'und' ? null : tag;
  } catch {
    return null; // not the form of a language tag
  }
}

/** Whether two tags or codes are of one language, whatever its region: `en-GB` and `eng`. */
export function isSameLanguage(one: string, other: string): boolean {
  const [first, second] = [languageTag(one), languageTag(other)];
  return first !== null && first.split('-')[0] === second?.split('-')[0];
}

/** The language that the name of a file (without extension) ends with; null: none that can be recognised. */
export function languageOf(fileName: string): string | null {
  const [, mark, code = '', region] = ENDING.exec(fileName) ?? [];
  const language = languageTag(code);
  // Three letters behind an underscore are more often a word (`the_new`) than one of the rare languages that have no code of two letters.
  if (language === null || (mark !== '.' && language.length > 2)) return null;
  return region ? (languageTag(`${language}-${region}`) ?? language) : language;
}

/** For people, in its own language: `Deutsch`. */
export const languageName = (tag: string): string => {
  const name = new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
};

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
