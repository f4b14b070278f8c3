import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { ObjectStorage, type StoredObject } from '../../../shared/storage/index.js';
import { RENDITIONS_PREFIX } from '../accepted-objects.service.js';
import { ChecksumsJob } from '../checksums/checksums.job.js';
import { NO_FACTS } from '../file-description.js';
import { MediaContainersRepository } from '../media-containers.repository.js';
import type { MediaItem, TextTrackRole } from '../media-item.entity.js';
import { MediaItemsRepository } from '../media-items.repository.js';
import { MediaReaderRepository } from '../media-reader.repository.js';
import type { PlannedItem } from '../new-media-item.js';
import { NewMediaItemsRepository } from '../new-media-items.repository.js';
import { TrackConversionsService } from './track-conversions.service.js';
import { MAX_TRACKS, trackRole } from './track-roles.js';

/** A text track that was inside a film. */
export interface EmbeddedTrack extends Pick<MediaItem, 'language' | 'isDefault'> {
  /** Unique within the film, without special characters. */
  readonly name: string;
  readonly role: TextTrackRole;
  readonly label: string;
  /** WebVTT, or the path of a file with it. */
  readonly content: Uint8Array | string;
}

/** What became of the tracks of a film. */
export interface EmbeddedTracksReport {
  readonly added: number;
  /** The tracks that were not added: the label, and why. */
  readonly left: readonly { readonly label: string; readonly reason: string }[];
}

/** A track whose object and WebVTT are in the storage. */
interface StoredTrack {
  readonly track: EmbeddedTrack;
  readonly planned: PlannedItem;
  readonly object: StoredObject;
  readonly webVttKey: string;
}

/** Adds the text tracks that were inside a film to its media container (contract section 13.7, Words). */
@Injectable()
export class EmbeddedTracksService {
  constructor(
    private readonly database: Database,
    private readonly media: MediaReaderRepository,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly newItems: NewMediaItemsRepository,
    private readonly conversions: TrackConversionsService,
    private readonly storage: ObjectStorage,
    private readonly checksums: ChecksumsJob,
  ) {}

  /**
   * Adds tracks, unless the container had one of the same role and language before (for chapters: of any language), or has 32 of the role. Repeating
   * the call adds nothing twice. Null: the container is gone. Throws `storage_unavailable`.
   */
  async add(film: MediaItem, tracks: readonly EmbeddedTrack[]): Promise<EmbeddedTracksReport | null> {
    const planned = await this.plan(film, tracks);
    if (planned === null) return null;
    const stored: StoredTrack[] = [];
    const left: { label: string; reason: string }[] = [];
    for (const [index, track] of tracks.entries()) {
      const one = await this.store(track, planned[index]);
      if (one) stored.push(one);
      else left.push({ label: track.label, reason: 'it has no readable text' });
    }
    const added = await this.database.transaction(async () => await this.insert(film, stored));
    const others = stored.filter((one) => !added?.has(one));
    await this.storage.deleteMany(others.flatMap(({ planned: { s3Key }, webVttKey }) => [s3Key, webVttKey]));
    if (added === null) return null;
    const reason = 'the container has such a track, or too many';
    return { added: added.size, left: [...left, ...others.map(({ track: { label } }) => ({ label, reason }))] };
  }

  /** The keys contain the new ids, so that repeating the call never overwrites the object of a track. */
  private async plan(film: MediaItem, tracks: readonly EmbeddedTrack[]): Promise<PlannedItem[] | null> {
    const { customerId, mediaContainerId, fileName } = film;
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container) return null;
    const owner = { customerId, creatorId: container.creatorId, origin: null, senderId: null, bucket: this.storage.location.bucket };
    const files = tracks.map(({ role, language, label, isDefault }) => ({
      ...{ type: trackRole(role).type, formatId: null, fileName, fileExtension: 'vtt', fileSize: 0, s3Key: '' },
      ...{ checksum: null, metadata: [], track: { mediaContainerId, role, language, label, isDefault } },
    }));
    const folder = `${RENDITIONS_PREFIX}${customerId}/${mediaContainerId}/embedded`;
    return (await this.newItems.plan(files, owner)).map((item, index) => ({
      ...item,
      s3Key: `${folder}/${item.mediaId}-${tracks[index]?.name}.vtt`,
    }));
  }

  private async store(track: EmbeddedTrack, planned: PlannedItem | undefined): Promise<StoredTrack | null> {
    if (!planned) throw new Error('Every track is planned.');
    const { s3Key, mediaId: id, customerId, mediaContainerId } = planned;
    const object = await this.storage.write(s3Key, { file: track.content, contentType: 'text/vtt; charset=utf-8' });
    const { etag, version } = object;
    const convertible = { id, customerId, mediaContainerId, etag, version, s3Key, language: track.language };
    const { webVttKey } = await this.conversions.convert(convertible, { lenient: false });
    if (webVttKey !== null) return { track, planned, object, webVttKey };
    await this.storage.delete(s3Key);
    return null;
  }

  /** Returns the tracks that were added; null: the container is being removed. Locks the container, as the success of an uploaded track does. */
  private async insert({ customerId, mediaContainerId }: MediaItem, stored: readonly StoredTrack[]): Promise<Set<StoredTrack> | null> {
    if (!(await this.containers.lockForCustomer(customerId, mediaContainerId))) return null;
    const present = (await this.items.findByContainers([mediaContainerId])).filter(({ status, role }) => status === 'successful' && role);
    const added = new Set<StoredTrack>();
    for (const one of stored) {
      const { role, language, isDefault } = one.track;
      const ofRole = present.filter((other) => other.role === role);
      const inRole = [...added].filter(({ track }) => track.role === role).length;
      if (ofRole.some((other) => role === 'chapters' || other.language === language) || ofRole.length + inRole >= MAX_TRACKS) continue;
      const { defaultAmong } = trackRole(role);
      const hasDefault = present.some((other) => other.isDefault && other.role !== null && defaultAmong.includes(other.role));
      await this.insertOne({ ...one, track: { ...one.track, isDefault: isDefault && !hasDefault } });
      added.add(one);
    }
    return added;
  }

  private async insertOne({ planned, track: { isDefault }, object, webVttKey }: StoredTrack): Promise<void> {
    const track = planned.track && { ...planned.track, isDefault };
    await this.newItems.insert([{ ...planned, track }]);
    await this.items.markUploaded(planned.mediaId, object, { facts: NO_FACTS, webVttKey });
    if (object.crc32 === null) await this.checksums.request(`media item ${planned.mediaId}`, [planned.mediaId]);
  }
}
