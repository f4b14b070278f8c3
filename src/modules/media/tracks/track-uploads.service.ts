import { Injectable } from '@nestjs/common';
import type { StoredObject } from '../../../shared/storage/index.js';
import { NO_FACTS } from '../file-description.js';
import { FirstFactsService } from '../first-facts.service.js';
import { mediaErrors } from '../media.errors.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import { isTextRole, type MediaItem, type TrackRole } from '../media-item.entity.js';
import { MediaItemsRepository, type UploadedFile } from '../media-items.repository.js';
import { MediaRemovalService } from '../media-removal.service.js';
import type { TrackProblem } from './convert-text-track.js';
import { TrackConversionsService } from './track-conversions.service.js';
import { MAX_TRACKS, trackRole } from './track-roles.js';

/** A media item with a role. */
export type Track = MediaItem & { readonly role: TrackRole };

export const isTrack = (item: MediaItem): item is Track => item.role !== null;

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

/** Receives the uploaded files of tracks. */
@Injectable()
export class TrackUploadsService {
  constructor(
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
}
