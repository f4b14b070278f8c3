import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import type { StoredObject } from '../../../shared/storage/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { NO_FACTS } from '../file-description.js';
import { FirstFactsService } from '../first-facts.service.js';
import { mediaErrors } from '../media.errors.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import { isTextRole, type MediaItem, type TrackRole } from '../media-item.entity.js';
import { MediaItemsRepository, type UploadedFile } from '../media-items.repository.js';
import { MediaRemovalService } from '../media-removal.service.js';
import type { TrackProblem } from './convert-text-track.js';
import { canonicalLanguage, languageName } from './languages.js';
import { TrackConversionsService } from './track-conversions.service.js';
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

/** What a file contains, or why it is not valid for its role. */
type TrackInspection =
  | { readonly file: UploadedFile; readonly problem?: undefined }
  | { readonly problem: TrackProblem; readonly file?: undefined };

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
    private readonly firstFacts: FirstFactsService,
  ) {}

  /**
   * Reads the uploaded file of a track, and converts a text track to WebVTT. If the file is not valid for its role, the item becomes unsuccessful
   * until another file is uploaded under its key. Throws `track_unreadable` with the line, `object_changed`, and `storage_unavailable`.
   */
  async read(track: Track, object: StoredObject): Promise<UploadedFile> {
    const { problem, file } = await this.inspect(track, object);
    if (!problem) return file;
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
  async markUploaded({ id, mediaContainerId, customerId }: Track, object: StoredObject, file: UploadedFile): Promise<boolean> {
    if (!(await this.containers.lockForCustomer(customerId, mediaContainerId))) return false;
    if (!(await this.items.markUploaded(id, object, file))) return false;
    const [track] = await this.items.findMany([id]); // as it is described now
    if (!track || !isTrack(track)) return false;
    await this.removal.scheduleSupersededRemoval(await this.items.scheduleRemovalOfOtherTracks(track));
    if ((await this.items.countTracks(track)) > MAX_TRACKS) throw tooManyTracks(track);
    if (track.isDefault) await this.items.clearOtherDefaults(track, trackRole(track.role).defaultAmong);
    return true;
  }

  /** Deletes the WebVTT of a file whose success was not recorded with it. */
  async discardUnrecorded({ id }: MediaItem, { webVttKey }: UploadedFile): Promise<void> {
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

  private async inspect(track: Track, object: StoredObject): Promise<TrackInspection> {
    const { role } = track;
    const { maxBytes } = trackRole(role);
    if (object.size > maxBytes)
      return { problem: { line: 0, message: `The file has ${object.size} bytes; at most ${maxBytes} are allowed.` } };
    if (object.size === 0) return { problem: { line: 1, message: 'The file is empty.' } };
    if (isTextRole(role)) {
      const { problem, webVttKey } = await this.conversions.convert({ ...track, ...versionOf(object) }, { lenient: false });
      return problem ? { problem } : { file: { facts: NO_FACTS, webVttKey } };
    }
    const facts = await this.firstFacts.readPoster(track, object);
    return facts ? { file: { facts, webVttKey: null } } : { problem: NOT_A_POSTER };
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
