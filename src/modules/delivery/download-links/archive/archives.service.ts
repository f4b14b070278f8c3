import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { generalErrors } from '../../../../shared/errors.js';
import { AcceptedObjectsService, ChecksumsJob, ChecksumsRepository, type DeliverableItem } from '../../../media/index.js';
import type { PinnedObject } from '../../files/file-stream.service.js';
import { mediaNotAvailable } from '../../files/files.service.js';
import type { DownloadLink } from '../download-link.entity.js';
import { DownloadOffersService } from '../download-offers.service.js';
import { ArchiveNames, safeFileName } from './file-names.js';
import { ZipLayout } from './zip-layout.js';

/** Part of every entity tag; changes with the format of archives, so that no download continues with bytes of another one. */
const FORMAT = 'zip 1';
/** The objects without a recorded entity tag that are looked up at once. */
const CONCURRENT_LOOKUPS = 8;
/** The checksums that one request for an archive asks for; the next one asks for more. */
const MAX_REQUESTED = 10_000;
const UNTITLED = 'Files';
export const GONE = 'A file of this link is no longer in the storage. Download the others one by one.';

/** All files of a download link as one ZIP file. */
export interface Archive {
  readonly link: DownloadLink;
  readonly layout: ZipLayout<PinnedObject>;
  /** The media items, by the objects of the layout. */
  readonly files: ReadonlyMap<PinnedObject, DeliverableItem>;
  /** A strong entity tag: archives with the same one have the same bytes, whichever process sends them. */
  readonly etag: string;
  readonly fileName: string;
}

/** Lays out archives; nothing of their files is read. */
@Injectable()
export class ArchivesService {
  private readonly lookups = pLimit(CONCURRENT_LOOKUPS);

  constructor(
    private readonly offers: DownloadOffersService,
    private readonly objects: AcceptedObjectsService,
    private readonly checksums: ChecksumsRepository,
    private readonly checksumsJob: ChecksumsJob,
  ) {}

  /**
   * The archive of a link. Requests the checksums that are missing. Throws what DownloadOffersService.open throws, `not_found` for a link without
   * files, and `media_not_available` and `object_changed` for an object without a recorded entity tag.
   */
  async layOut(address: string): Promise<Archive> {
    const link = await this.offers.findOpen(address);
    const names = new ArchiveNames();
    const layout = new ZipLayout<PinnedObject>();
    const hash = createHash('sha256').update(FORMAT);
    const missing: number[] = [];
    const files = new Map<PinnedObject, DeliverableItem>();
    for await (const items of this.offers.listFiles(link)) {
      const checksums = new Map((await this.checksums.findMany(items.map(({ id }) => id))).map((one) => [one.id, one]));
      const objects = await Promise.all(items.map(async (item) => await this.lookups(async () => await this.pin(item))));
      for (const [index, item] of items.entries()) {
        const { crc32 = null, createdAt: modifiedAt } = checksums.get(item.id) ?? {};
        const content = objects[index];
        if (!content || !modifiedAt) throw mediaNotAvailable(GONE);
        if (crc32 === null) missing.push(item.id);
        const file = { name: names.add(item), size: item.fileSize, crc32, modifiedAt, content };
        hash.update(JSON.stringify(file));
        layout.add(file);
        files.set(content, item);
      }
    }
    if (layout.count === 0) throw generalErrors.not_found('This link has no files to download at the moment.');
    await this.checksumsJob.request(`download link ${link.id}`, missing.slice(0, MAX_REQUESTED));
    const fileName = safeFileName({ fileName: link.title || UNTITLED, fileExtension: 'zip' });
    return { link, layout, files, etag: `"${hash.digest('base64url')}"`, fileName };
  }

  /** The object of a file as it was accepted; null: it is gone. Files that the first versions of the service stored have no entity tag. */
  private async pin(item: DeliverableItem): Promise<PinnedObject | null> {
    const { s3Key: key, version } = item;
    const etag = item.etag ?? (await this.objects.find(item))?.etag;
    return etag === undefined ? null : { key, version, etag };
  }
}
