import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { detectImageType } from '../../../shared/image-type.js';
import type { StoredObject } from '../../../shared/storage/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { type AcceptedObject, AcceptedObjectsService } from '../accepted-objects.service.js';
import { mediaErrors } from '../media.errors.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import { isTextRole, type MediaItem, type TrackRole } from '../media-item.entity.js';
import { MediaItemsRepository } from '../media-items.repository.js';
import { MediaRemovalService } from '../media-removal.service.js';
import type { TrackProblem } from './convert-text-track.js';
import { canonicalLanguage, languageName } from './languages.js';
import { type TrackConversion, TrackConversionsService } from './track-conversions.service.js';
import { MAX_TRACKS, trackRole } from './track-roles.js';
import type { TrackChangesDto } from './tracks.dto.js';

/** A media item with a role. */
export type Track = MediaItem & { readonly role: TrackRole };

export const isTrack = (item: MediaItem): item is Track => item.role !== null;

/** A file of a container, as clients name it. */
interface TrackAddress {
  readonly id: number;
  readonly mediaId: number;
}

/** A track to change; with `ifMatch` only if it has a version that the header names. */
type ChangedTrack = TrackAddress & { readonly ifMatch?: string };

/** The signature of a picture, or the brands of an AVIF. */
const POSTER_HEAD_BYTES = 256;
const NOT_A_POSTER: TrackProblem = { line: 0, message: 'The file is not a picture that browsers show: JPEG, PNG, WebP, AVIF, GIF or BMP.' };

const versionOf = ({ etag, version }: StoredObject): Pick<StoredObject, 'etag' | 'version'> => ({ etag, version });

const tooManyTracks = ({ mediaContainerId, role }: Track) =>
  mediaErrors.too_many_tracks(
    `The media container ${mediaContainerId} already has ${MAX_TRACKS} tracks of the role ${role}. Remove one that is no longer needed, and report the item again.`,
  );

/** Manages the tracks of media containers: subtitles, captions, descriptions, chapters and posters. */
@Injectable()
export class TracksService {
  constructor(
    private readonly database: Database,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly removal: MediaRemovalService,
    private readonly conversions: TrackConversionsService,
    private readonly objects: AcceptedObjectsService,
  ) {}

  /**
   * Reads the uploaded file of a track. Converts a text track to WebVTT and returns the key of the result; returns null for a poster. If the file is
   * not valid for its role, the item becomes unsuccessful until another file is uploaded under its key. Throws `track_unreadable` with the line,
   * `object_changed`, and `storage_unavailable`.
   */
  async read(track: Track, object: StoredObject): Promise<string | null> {
    const { problem, webVttKey } = await this.inspect(track, object);
    if (!problem) return webVttKey;
    await this.items.markFailed([track.id]);
    const { line, message } = problem;
    const place = line === 0 ? '' : `Line ${line}: `;
    throw mediaErrors.track_unreadable(`${place}${message} Upload another file under the same key, and report it again.`, { line });
  }

  /**
   * Records that the object of a track is in the storage. Supersedes the earlier track of the same role and language; if this track is the default,
   * others no longer are. False like `MediaItemsRepository.markUploaded`, or if the container is being removed. Throws `too_many_tracks`. Runs in the
   * ambient transaction, and locks the container before the items, as everywhere, so that of two simultaneous successes one supersedes the other.
   */
  async markUploaded({ id, mediaContainerId, customerId }: Track, object: StoredObject, webVttKey: string | null): Promise<boolean> {
    if (!(await this.containers.lockForCustomer(customerId, mediaContainerId))) return false;
    if (!(await this.items.markUploaded(id, object, webVttKey))) return false;
    const [track] = await this.items.findMany([id]); // as it is described now
    if (!track || !isTrack(track)) return false;
    await this.removal.scheduleSupersededRemoval(await this.items.scheduleRemovalOfOtherTracks(track));
    if ((await this.items.countTracks(track)) > MAX_TRACKS) throw tooManyTracks(track);
    if (track.isDefault) await this.items.clearOtherDefaults(track, trackRole(track.role).defaultAmong);
    return true;
  }

  /** Deletes the WebVTT of a file whose success was not recorded with it. */
  async discardUnrecorded({ id }: MediaItem, webVttKey: string | null): Promise<void> {
    if (webVttKey === null) return;
    const [track] = await this.items.findMany([id]);
    if (track?.webVttKey !== webVttKey) await this.conversions.discard(webVttKey);
  }

  /** Returns a file of a container of the caller's customer: an original, a rendition or a track. Throws `not_found`. */
  async get({ customerId }: Caller, address: TrackAddress): Promise<MediaItem> {
    if (!(await this.containers.findForCustomer(customerId, address.id))) throw unknownContainer(address.id);
    return await this.find(address);
  }

  /**
   * Changes the language, label and default of a track. A null label becomes the name of the language; such a label changes with the language.
   * Throws `not_found`, `not_a_track`, `precondition_failed`, `track_exists`, and `validation_failed` for an invalid language tag or fields that the
   * role does not have.
   */
  async update(caller: Caller, address: ChangedTrack, changes: TrackChangesDto): Promise<MediaItem> {
    return await this.database.transaction(async () => {
      const track = await this.lockTrack(caller, address);
      const described = describe(track, changes);
      if (described.language !== track.language) await this.requireFree(described);
      await this.items.describeTrack(described);
      if (described.isDefault) await this.items.clearOtherDefaults(described, trackRole(track.role).defaultAmong);
      return await this.find(address);
    });
  }

  /** Removes a track: it is no longer delivered, and a job deletes its file. Throws `not_found`, `not_a_track`, `precondition_failed`. */
  async delete(caller: Caller, address: ChangedTrack): Promise<Track> {
    return await this.database.transaction(async () => {
      const track = await this.lockTrack(caller, address);
      await this.items.scheduleRemovalOf([track.id]);
      await this.removal.scheduleItemRemoval([track.id]);
      return { ...track, status: 'deleted' };
    });
  }

  private async inspect(track: Track, object: StoredObject): Promise<TrackConversion> {
    const { maxBytes } = trackRole(track.role);
    if (object.size > maxBytes) return invalid({ line: 0, message: `The file has ${object.size} bytes; at most ${maxBytes} are allowed.` });
    if (object.size === 0) return invalid({ line: 1, message: 'The file is empty.' });
    const uploaded = { ...track, ...versionOf(object) };
    if (isTextRole(track.role)) return await this.conversions.convert(uploaded, { lenient: false });
    return { webVttKey: null, problem: (await this.isPoster(uploaded, object)) ? null : NOT_A_POSTER };
  }

  /** Whether a file begins like a picture that browsers show; the inspection reads the rest. */
  private async isPoster(uploaded: AcceptedObject, { size }: StoredObject): Promise<boolean> {
    const found = await this.objects.read(uploaded, { start: 0, end: Math.min(size, POSTER_HEAD_BYTES) - 1 });
    const type = found && detectImageType(await buffer(found.body));
    return type !== null && trackRole('poster').extensions.includes(type);
  }

  /** Locks the container, without which no request changes its tracks. */
  private async lockTrack({ customerId }: Caller, address: ChangedTrack): Promise<Track> {
    const { id, mediaId, ifMatch } = address;
    if (!(await this.containers.lockForCustomer(customerId, id))) throw unknownContainer(id);
    const item = await this.find(address);
    requireMatch(ifMatch, { id: mediaId, version: item.revision }, `media item ${mediaId}`);
    if (isTrack(item)) return item;
    throw mediaErrors.not_a_track(
      `The media item ${mediaId} is an original or a rendition; only tracks can be changed or removed individually.`,
    );
  }

  private async find({ id, mediaId }: TrackAddress): Promise<MediaItem> {
    const [item] = await this.items.findMany([mediaId]);
    if (item?.mediaContainerId === id && item.status !== 'deleted') return item;
    throw generalErrors.not_found(`The media container ${id} has no media item ${mediaId}.`);
  }

  private async requireFree({ id, mediaContainerId, role, language }: Track): Promise<void> {
    const others = await this.items.findByContainers([mediaContainerId]);
    const taken = others.find(
      (other) => other.id !== id && other.status === 'successful' && other.role === role && other.language === language,
    );
    if (taken) throw mediaErrors.track_exists(`The container already has ${role} in the language ${language}: media item ${taken.id}.`);
  }
}

const invalid = (problem: TrackProblem): TrackConversion => ({ webVttKey: null, problem });

const unknownContainer = (id: number) => generalErrors.not_found(`The media container ${id} does not exist.`);

function describe(track: Track, { language, label, default: isDefault }: TrackChangesDto): Track {
  if (!trackRole(track.role).hasLanguage) {
    const sent = Object.entries({ language, label, default: isDefault }).filter(([, value]) => value !== undefined && value !== null);
    refuseInvalid(sent.map(([path]) => ({ path, code: 'not_allowed', message: `a track of the role ${track.role} has none` })));
    return track;
  }
  const canonical = language === undefined ? track.language : canonicalLanguage(language);
  if (canonical === null && language !== undefined)
    refuseInvalid([{ path: 'language', code: 'invalid_language', message: 'must be a language tag (BCP 47), such as en or pt-BR' }]);
  const followsLanguage = track.language !== null && track.label === languageName(track.language);
  const named = label === undefined && !followsLanguage ? track.label : (label ?? (canonical === null ? null : languageName(canonical)));
  return { ...track, language: canonical, label: named, isDefault: isDefault === undefined ? track.isDefault : isDefault === true };
}
