import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { detectImageType } from '../../../shared/image-type.js';
import type { StoredObject } from '../../../shared/storage/index.js';
import { type AcceptedObject, AcceptedObjectsService } from '../accepted-objects.service.js';
import { mediaErrors } from '../media.errors.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import { isTextRole, type MediaItem, type TrackRole } from '../media-item.entity.js';
import { MediaItemsRepository } from '../media-items.repository.js';
import { MediaRemovalService } from '../media-removal.service.js';
import type { TrackProblem } from './convert-text-track.js';
import { type TrackConversion, TrackConversionsService } from './track-conversions.service.js';
import { MAX_TRACKS, trackRole } from './track-roles.js';

/** A media item with a role. */
export type Track = MediaItem & { readonly role: TrackRole };

export const isTrack = (item: MediaItem): item is Track => item.role !== null;

/** The signature of a picture, or the brands of an AVIF. */
const POSTER_HEAD_BYTES = 256;
const NOT_A_POSTER: TrackProblem = { line: 0, message: 'The file is not a picture that browsers show: JPEG, PNG, WebP, AVIF, GIF or BMP.' };

const versionOf = ({ etag, version }: StoredObject): Pick<StoredObject, 'etag' | 'version'> => ({ etag, version });

const tooManyTracks = ({ mediaContainerId, role }: Track) =>
  mediaErrors.too_many_tracks(
    `The media container ${mediaContainerId} already has ${MAX_TRACKS} tracks of the role ${role}. Remove one that is no longer needed, and report the item again.`,
  );

const invalid = (problem: TrackProblem): TrackConversion => ({ webVttKey: null, problem });

/** Receives the uploaded files of tracks. */
@Injectable()
export class TrackUploadsService {
  constructor(
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
}
