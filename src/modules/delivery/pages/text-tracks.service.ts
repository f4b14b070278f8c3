import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../shared/errors.js';
import { FairLimit, inTurns } from '../../../shared/fairness/index.js';
import {
  AcceptedObjectsService,
  convertTextTrack,
  type DeliverableItem,
  isTextRole,
  languageName,
  MAX_TEXT_BYTES,
  type TextTrackRole,
} from '../../media/index.js';
import type { PlayerSettings } from '../../player-configurations/index.js';
import { isSubtitle } from '../files/choose-file.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';

/** The number of tracks that are converted concurrently; each takes up to 50 MB of memory. */
const CONCURRENT_READS = 4;

/** Delivers text tracks from the service's own origin: browsers load them from other origins only with CORS, and cannot read SubRip. */
@Injectable()
export class TextTracksService {
  private readonly reads = new FairLimit(CONCURRENT_READS);

  constructor(private readonly objects: AcceptedObjectsService) {}

  /** Reads one of the tracks as WebVTT, in pieces. Throws `not_found`, `object_changed`. */
  async read({ items, tracks, link }: Pick<OpenedLink, 'items' | 'tracks' | 'link'>, mediaId: number): Promise<readonly string[]> {
    const isListed = listTracks({ items, tracks }).some((track) => track.mediaId === mediaId);
    const item = isListed && [...items, ...tracks].find(({ id }) => id === mediaId);
    if (!item || item.fileSize > MAX_TEXT_BYTES) throw generalErrors.not_found('This track does not exist.');
    return await this.reads.run(String(link.customerId), async () => await this.convert(item));
  }

  private async convert(item: DeliverableItem): Promise<readonly string[]> {
    const found = await this.objects.read(item);
    if (found && found.size <= MAX_TEXT_BYTES) return (await inTurns(convertTextTrack(await buffer(found.body)))).portions;
    found?.body.destroy();
    throw generalErrors.not_found('The file of this track is gone, or too large.');
  }
}

/** A text track of an opened link. */
export interface TextTrack {
  readonly mediaId: number;
  readonly role: TextTrackRole;
  /** BCP 47; null: unknown, because the name of an older file does not contain a language. */
  readonly language: string | null;
  readonly label: string;
  /** Whether players choose it before others of its kind. */
  readonly default: boolean;
}

/**
 * The text tracks of an opened link, in the order of their ids. Subtitles without a role are recognised by their extension, and their language by
 * their name; the labels of tracks of the same language include their file names.
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

/** Whether a track contains the words of the film to read (subtitles, captions); the indexes in `settings.subtitle` count these. */
export const isForReading = ({ role }: Pick<TextTrack, 'role'>): boolean => role === 'subtitles' || role === 'captions';

/** Matches `talk.de`, `talk_eng`, `talk-pt-BR`: the language follows the last dot, underscore or hyphen. */
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

/** Whether two tags or codes denote the same language, regardless of the region: `en-GB` and `eng`. */
export function isSameLanguage(one: string, other: string): boolean {
  const [first, second] = [languageTag(one), languageTag(other)];
  return first !== null && first.split('-')[0] === second?.split('-')[0];
}

/** The language at the end of a file name (without extension); null: none is recognised. */
export function languageOf(fileName: string): string | null {
  const [, mark, code = '', region] = ENDING.exec(fileName) ?? [];
  const language = languageTag(code);
  // Three letters after an underscore are more often a word (`the_new`) than one of the rare languages without a code of two letters.
  if (language === null || (mark !== '.' && language.length > 2)) return null;
  return region ? (languageTag(`${language}-${region}`) ?? language) : language;
}

export type SubtitleSettings = NonNullable<PlayerSettings['subtitle']>;

/** Without a setting, subtitles are hidden until they are chosen. */
export const DEFAULT_BEHAVIOUR = 4;

/**
 * Returns which of the tracks (subtitles and captions) is on when the player opens; null: none. `viewerLanguages`: the preferred one first. Among the
 * tracks that fit, the one at `default` is preferred, and then one that was uploaded as the default. If the configuration sets no behaviour, a track
 * that was uploaded as the default is on.
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
  const inAnyLanguage = () => first((_) => true);
  const inLanguage = (wanted: string) => first(({ language }) => language !== null && isSameLanguage(language, wanted));
  if (behaviour == null) return first((track) => track.default);
  if (behaviour === 1) return lang ? inLanguage(lang) : inAnyLanguage();
  if (behaviour === 2) return viewerLanguages.map(inLanguage).find((index) => index !== null) ?? null;
  if (behaviour === 3) return preferred === undefined && lang ? (inLanguage(lang) ?? inAnyLanguage()) : inAnyLanguage();
  return null;
}
