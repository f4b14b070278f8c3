import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { ObjectStorage, type StoredObject } from '../../../shared/storage/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { mediaErrors } from '../media.errors.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import type { MediaItem, TrackRole } from '../media-item.entity.js';
import { MediaItemsRepository } from '../media-items.repository.js';
import { MediaRemovalService } from '../media-removal.service.js';
import type { MediaFacts } from '../new-media-item.js';
import { canonicalLanguage, languageName } from './languages.js';
import { type TrackInspection, trackRole } from './track-roles.js';
import type { TrackChangesDto } from './tracks.dto.js';

/** A media item with a role. */
export type Track = MediaItem & { readonly role: TrackRole };

export const isTrack = (item: MediaItem): item is Track => item.role !== null;

/** A track of a container, as clients name it. */
interface TrackAddress {
  readonly id: number;
  readonly mediaId: number;
}

/** Concurrent reads of files; each takes up to 50 MB of memory. */
const CONCURRENT_READS = 4;

/** Manages the tracks of media containers: subtitles, captions, descriptions, chapters and posters. */
@Injectable()
export class TracksService {
  private readonly reads = new FairLimit(CONCURRENT_READS);

  constructor(
    private readonly database: Database,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly removal: MediaRemovalService,
    private readonly storage: ObjectStorage,
  ) {}

  /**
   * Reads the uploaded file of a track. If the file is not valid for its role, the item becomes unsuccessful until another file is uploaded under
   * its key. Throws `track_unreadable` with the line, and `storage_unavailable`.
   */
  async inspect(track: Track, object: StoredObject): Promise<MediaFacts> {
    const { problem, facts } = await this.reads.run(String(track.customerId), async () => await this.read(track, object));
    if (facts) return facts;
    await this.items.markFailed([track.id]);
    const { line, message } = problem;
    const place = line === 0 ? '' : `Line ${line}: `;
    throw mediaErrors.track_unreadable(`${place}${message} Upload another file under the same key, and report it again.`, { line });
  }

  /**
   * Records that the object of a track is in the storage. Supersedes the earlier track of the same role and language; if this track is the default,
   * others no longer are. False like `MediaItemsRepository.markUploaded`, or if the container is being removed. Runs in the ambient transaction,
   * and locks the container before the items, as everywhere, so that of two simultaneous successes one supersedes the other.
   */
  async markUploaded({ id, mediaContainerId, customerId }: Track, object: StoredObject, facts: MediaFacts): Promise<boolean> {
    if (!(await this.containers.lockForCustomer(customerId, mediaContainerId))) return false;
    if (!(await this.items.markUploaded(id, object))) return false;
    await this.items.fillInFacts(id, facts);
    const [track] = await this.items.findMany([id]); // as it is described now
    if (!track || !isTrack(track)) return false;
    await this.removal.scheduleSupersededRemoval(await this.items.scheduleRemovalOfOtherTracks(track));
    if (track.isDefault) await this.items.clearOtherDefaults(track, trackRole(track.role).defaultAmong);
    return true;
  }

  /**
   * Changes the language, label and default of a track. A null label becomes the name of the language; such a label changes with the language.
   * Throws `not_found`, `not_a_track`, `track_exists`, and `validation_failed` for an invalid language tag or fields that the role does not have.
   */
  async update(caller: Caller, address: TrackAddress, changes: TrackChangesDto): Promise<Track> {
    return await this.database.transaction(async () => {
      const track = await this.lock(caller, address);
      const described = describe(track, changes);
      if (described.language !== track.language) await this.requireFree(described);
      await this.items.describeTrack(described);
      if (described.isDefault) await this.items.clearOtherDefaults(described, trackRole(track.role).defaultAmong);
      return described;
    });
  }

  /** Removes a track: it is no longer delivered, and a job deletes its file. Throws `not_found`, `not_a_track`. */
  async delete(caller: Caller, address: TrackAddress): Promise<Track> {
    return await this.database.transaction(async () => {
      const track = await this.lock(caller, address);
      await this.items.scheduleRemovalOf([track.id]);
      await this.removal.scheduleItemRemoval([track.id]);
      return { ...track, status: 'deleted' };
    });
  }

  private async read({ role, s3Key }: Track, { size, version, etag }: StoredObject): Promise<TrackInspection> {
    const { maxBytes, inspectedBytes, inspect } = trackRole(role);
    if (size > maxBytes) return { problem: { line: 0, message: `The file has ${size} bytes; at most ${maxBytes} are allowed.` } };
    if (size === 0) return { problem: { line: 1, message: 'The file is empty.' } };
    const range = { start: 0, end: Math.min(size, inspectedBytes) - 1 };
    const found = await this.storage.read(s3Key, { range, version });
    if (found?.etag === etag) return await inspect(await buffer(found.body));
    found?.body.destroy();
    throw mediaErrors.object_changed('The file was replaced while it was being read. Report the item again.');
  }

  private async lock({ customerId }: Caller, { id, mediaId }: TrackAddress): Promise<Track> {
    if (!(await this.containers.lockForCustomer(customerId, id)))
      throw generalErrors.not_found(`The media container ${id} does not exist.`);
    const [item] = await this.items.findMany([mediaId]);
    if (item?.mediaContainerId !== id || item.status === 'deleted') {
      throw generalErrors.not_found(`The media container ${id} has no media item ${mediaId}.`);
    }
    if (isTrack(item)) return item;
    throw mediaErrors.not_a_track(
      `The media item ${mediaId} is an original or a rendition; only tracks can be changed or removed individually.`,
    );
  }

  private async requireFree({ id, mediaContainerId, role, language }: Track): Promise<void> {
    const others = await this.items.findByContainers([mediaContainerId]);
    const taken = others.find(
      (other) => other.id !== id && other.status === 'successful' && other.role === role && other.language === language,
    );
    if (taken) throw mediaErrors.track_exists(`The container already has ${role} in the language ${language}: media item ${taken.id}.`);
  }
}

function describe(track: Track, { language, label, default: isDefault }: TrackChangesDto): Track {
  if (!trackRole(track.role).hasLanguage) {
    const sent = Object.entries({ language, label, default: isDefault }).filter(([, value]) => value !== undefined && value !== null);
    refuseInvalid(sent.map(([path]) => ({ path, code: 'not_allowed', message: `a track of the role ${track.role} has none` })));
    return track;
  }
  const canonical = language === undefined ? track.language : canonicalLanguage(language);
  if (canonical === null)
    refuseInvalid([{ path: 'language', code: 'invalid_language', message: 'must be a language tag (BCP 47), such as en or pt-BR' }]);
  const followsLanguage = track.language !== null && track.label === languageName(track.language);
  const named = label === undefined && !followsLanguage ? track.label : (label ?? languageName(canonical ?? ''));
  return { ...track, language: canonical, label: named, isDefault: isDefault === undefined ? track.isDefault : isDefault === true };
}
