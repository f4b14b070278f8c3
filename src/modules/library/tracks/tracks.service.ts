import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import {
  canonicalLanguage,
  isTrack,
  languageName,
  MediaContainersRepository,
  type MediaItem,
  MediaItemsRepository,
  MediaRemovalService,
  mediaErrors,
  type Track,
  trackRole,
} from '../../media/index.js';
import type { TrackChangesDto } from './tracks.dto.js';

/** A file of a container, as clients name it. */
interface TrackAddress {
  readonly id: number;
  readonly mediaId: number;
}

/** A track to change; with `ifMatch` only if it has a version that the header names. */
type ChangedTrack = TrackAddress & { readonly ifMatch?: string };

/** Reads and changes the tracks of a customer's media containers: subtitles, captions, descriptions, chapters and posters. */
@Injectable()
export class TracksService {
  constructor(
    private readonly database: Database,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly removal: MediaRemovalService,
  ) {}

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
