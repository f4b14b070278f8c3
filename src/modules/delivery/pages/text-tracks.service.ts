import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../shared/errors.js';
import { AcceptedObjectsService, isTextRole, languageName, type TextTrackRole } from '../../media/index.js';
import type { PlayerSettings } from '../../player-configurations/index.js';
import { isSubtitle } from '../files/choose-file.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';

/** A hundred times the subtitles of a film; larger files are not subtitles and must not fill the memory. */
const MAX_BYTES = 10_000_000;

/** Text tracks on our own origin: browsers load them from other origins only with CORS, and cannot read SubRip. */
@Injectable()
export class TextTracksService {
  constructor(private readonly objects: AcceptedObjectsService) {}

  /** One of the tracks as WebVTT. Throws `not_found`, `object_changed`. */
  async read(opened: Pick<OpenedLink, 'items' | 'tracks'>, mediaId: number): Promise<string> {
    const isListed = listTracks(opened).some((track) => track.mediaId === mediaId);
    const item = isListed ? [...opened.items, ...opened.tracks].find(({ id }) => id === mediaId) : undefined;
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

/** A text track of an opened link. */
export interface TextTrack {
  readonly mediaId: number;
  readonly role: TextTrackRole;
  /** BCP 47; null: the name of an older file does not contain a language. */
  readonly language: string | null;
  readonly label: string;
  /** Whether players choose it before others of its kind. */
  readonly default: boolean;
}

/**
 * The text tracks of an opened link, in the order of their ids. Subtitles that were added without a role are recognised by their extension, and
 * their language by their name; those of the same language get their file names added.
 */
export function listTracks({ items, tracks }: Pick<OpenedLink, 'items' | 'tracks'>): TextTrack[] {
  const files = items.filter(({ fileExtension }) => isSubtitle(fileExtension));
  const named = files.map((item) => ({ item, language: languageOf(item.fileName) }));
  const older = named.map(({ item, language }): TextTrack => {
    const name = language && languageName(language);
    const isAlone = named.filter((other) => other.language === language).length === 1;
    const label = name === null ? item.fileName : isAlone ? name : `${name} (${item.fileName})`;
    return { mediaId: item.id, role: 'subtitles', language, label, default: false };
  });
  const uploaded = tracks.flatMap(({ id, role, language, label, isDefault }): TextTrack[] =>
    isTextRole(role) ? [{ mediaId: id, role, language, label: label ?? '', default: isDefault }] : [],
  );
  return [...older, ...uploaded].sort((one, other) => one.mediaId - other.mediaId);
}

/** Whether a track is the words of the film for those who read them; `settings.subtitle` counts these. */
export const isForReading = ({ role }: Pick<TextTrack, 'role'>): boolean => role === 'subtitles' || role === 'captions';

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

export type SubtitleSettings = NonNullable<PlayerSettings['subtitle']>;

/** Without a setting subtitles wait until they are chosen. */
export const DEFAULT_BEHAVIOUR = 4;

/**
 * Which of the tracks (subtitles and captions) is on when the player opens; null: none. `viewerLanguages`: the preferred one first. Of tracks that
 * fit, the one at `default` is taken before the others, and then one that was uploaded as the default. Where the configuration sets no behaviour,
 * a track that was uploaded as the default is on.
 */
export function chooseTrack(
  { behaviour, default: preferred, lang }: SubtitleSettings,
  tracks: readonly Pick<TextTrack, 'language' | 'default'>[],
  viewerLanguages: readonly string[],
): number | null {
  const first = (fits: (track: Pick<TextTrack, 'language' | 'default'>) => boolean): number | null => {
    const indexes = tracks.flatMap((track, index) => (fits(track) ? [index] : []));
    return indexes.find((index) => index === preferred) ?? indexes.find((index) => tracks[index]?.default) ?? indexes[0] ?? null;
  };
  const any = () => first((_) => true);
  const inLanguage = (wanted: string) => first(({ language }) => language !== null && isSameLanguage(language, wanted));
  if (behaviour == null) return first((track) => track.default);
  if (behaviour === 1) return lang ? inLanguage(lang) : any();
  if (behaviour === 2) return viewerLanguages.map(inLanguage).find((index) => index !== null) ?? null;
  if (behaviour === 3) return preferred === undefined && lang ? (inLanguage(lang) ?? any()) : any();
  return null;
}
