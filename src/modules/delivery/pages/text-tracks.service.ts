import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../shared/errors.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { FileDescriptionsRepository, isTextRole, languageName, type TextTrackRole } from '../../media/index.js';
import type { PlayerSettings } from '../../player-configurations/index.js';
import { isSubtitle } from '../files/choose-file.js';
import { type PinnedObject, readPiece } from '../files/file-stream.service.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';

/** The bytes of a track that are read at a time: all of most tracks, and the memory that one viewer takes. */
const PIECE_BYTES = 262_144;
/** Pieces that a process reads concurrently, so that many viewers of large tracks do not delay other requests. */
const CONCURRENT_READS = 4;
/** Some seconds of pieces. */
const MAX_WAITING = 400;

/** A track as WebVTT. */
interface OpenedTrack {
  /** Bytes. */
  readonly size: number;
  readonly pieces: AsyncIterable<Buffer>;
}

/** Delivers text tracks from the service's own origin: browsers load them from other origins only with CORS. */
@Injectable()
export class TextTracksService {
  private readonly reads = new FairLimit({ slots: CONCURRENT_READS, maxWaiting: MAX_WAITING });

  constructor(
    private readonly storage: ObjectStorage,
    private readonly descriptions: FileDescriptionsRepository,
  ) {}

  /** Opens the WebVTT of one of the tracks, which was made when its file was uploaded. Throws `not_found`. */
  async open({ container, items, tracks }: Pick<OpenedLink, 'container' | 'items' | 'tracks'>, mediaId: number): Promise<OpenedTrack> {
    const isListed = listTracks({ items, tracks }).some((track) => track.mediaId === mediaId);
    const item = isListed && [...items, ...tracks].find(({ id }) => id === mediaId);
    if (!item) throw generalErrors.not_found('This track does not exist.');
    const opened = item.webVttKey === null ? null : await this.read(item.webVttKey, String(container.customerId));
    if (opened) return opened;
    if (item.webVttKey !== null) await this.descriptions.requestWebVtt(item.id, item.webVttKey);
    throw generalErrors.not_found('This track is still being prepared, or its file cannot be read. Try again in a few minutes.');
  }

  /** Opens an object; null if it is gone. */
  private async read(key: string, party: string): Promise<OpenedTrack | null> {
    const found = await this.reads.run(party, async () => {
      const object = await this.storage.read(key, { range: { start: 0, end: PIECE_BYTES - 1 } });
      return object && { ...object, first: await buffer(object.body) };
    });
    if (!found) return null;
    const { etag, first } = found;
    const size = found.range?.total ?? first.length;
    return { size, pieces: this.readPieces(first, { key, version: null, etag, size, party }) };
  }

  private async *readPieces(
    first: Buffer,
    object: PinnedObject & { readonly size: number; readonly party: string },
  ): AsyncGenerator<Buffer> {
    yield first;
    for (let start = first.length; start < object.size; start += PIECE_BYTES) {
      const range = { start, end: Math.min(object.size, start + PIECE_BYTES) - 1 };
      const piece = await this.reads.run(object.party, async () => await readPiece(this.storage, object, range));
      if (!piece) throw new Error('The WebVTT of a track was deleted while it was sent.');
      yield piece;
    }
  }
}

/** A text track of an opened link. */
export interface TextTrack {
  readonly mediaId: number;
  readonly role: TextTrackRole;
  /** BCP 47 in its canonical form; null: unknown, because the name of an older file does not contain a language. */
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

/** The language of a tag or code without its region, so that `en-GB` and `eng` have the same one; null: it is not a language. */
export const primaryLanguage = (code: string): string | null => languageTag(code)?.split('-')[0] ?? null;

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
  const inLanguage = (wanted: string) => {
    const language = primaryLanguage(wanted);
    return language === null ? null : first((track) => track.language?.split('-', 1)[0] === language);
  };
  if (behaviour == null) return first((track) => track.default);
  if (behaviour === 1) return lang ? inLanguage(lang) : inAnyLanguage();
  if (behaviour === 2) return viewerLanguages.map(inLanguage).find((index) => index !== null) ?? null;
  if (behaviour === 3) return preferred === undefined && lang ? (inLanguage(lang) ?? inAnyLanguage()) : inAnyLanguage();
  return null;
}
