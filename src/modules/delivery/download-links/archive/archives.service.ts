import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../../shared/errors.js';
import { AbandonableWork, FairLimit, inTurns } from '../../../../shared/fairness/index.js';
import {
  AcceptedObjectsService,
  ChecksumsJob,
  ChecksumsRepository,
  type DeliverableItem,
  MediaReaderRepository,
} from '../../../media/index.js';
import { mediaNotAvailable } from '../../files/files.service.js';
import type { DownloadLink } from '../download-link.entity.js';
import { DownloadOffersService } from '../download-offers.service.js';
import type { ArchivedObject, ArchiveLayout } from './archive-layout.entity.js';
import { ArchiveLayoutsRepository, type LayoutKey } from './archive-layouts.repository.js';
import { ArchiveNames, safeFileName } from './file-names.js';
import { sizeOf, ZipLayout, type ZipSections } from './zip-layout.js';

/** Part of every entity tag; changes with the format of archives, so that no download continues with bytes of another one. */
const FORMAT = 'zip 1';
/** The checksums that one request for an archive asks for; the next one asks for more. */
const MAX_REQUESTED = 10_000;
/** Layouts that one process makes at a time: each occupies the event loop in short turns, and a connection. */
const PLACES = 1;
/** Layouts that wait: each takes less than a second as a rule. */
const MAX_WAITING = 50;
const UNTITLED = 'Files';
export const GONE = 'A file of this link is no longer in the storage. Download the others one by one.';

/** All files of a download link as one ZIP file. */
export interface Archive {
  readonly link: DownloadLink;
  readonly layout: ArchiveLayout;
  readonly sections: ZipSections<ArchivedObject>;
  /** Bytes. */
  readonly size: number;
  readonly fileName: string;
}

/** Lays out archives, each version once for all processes; nothing of their files is read. */
@Injectable()
export class ArchivesService {
  private readonly places = new FairLimit({ slots: PLACES, maxWaiting: MAX_WAITING });
  private readonly making = new AbandonableWork<ArchiveLayout>();

  constructor(
    private readonly offers: DownloadOffersService,
    private readonly media: MediaReaderRepository,
    private readonly layouts: ArchiveLayoutsRepository,
    private readonly objects: AcceptedObjectsService,
    private readonly checksums: ChecksumsRepository,
    private readonly checksumsJob: ChecksumsJob,
  ) {}

  /** The archive of a link that visitors may use now, if it has been laid out; null: it has not. */
  async find(link: DownloadLink): Promise<Archive | null> {
    const layout = await this.layouts.find(await this.keyOf(link));
    return layout && this.archiveOf(link, layout);
  }

  /**
   * Lays out the archive of a link, and requests the checksums that are missing. Throws `not_found` for a link without files, `media_not_available` and
   * `object_changed` for an object without a recorded entity tag, and 503 `service_unavailable` if too many layouts wait.
   */
  async make(link: DownloadLink): Promise<Archive> {
    const key = await this.keyOf(link);
    const party = String(link.customerId);
    const work = async () => await this.layouts.findOrMake(key, async () => await this.layOut(link, key));
    const layout = await this.making.run(`${link.id} ${key.version}`, async (signal) => await this.places.run(party, work, { signal }));
    return this.archiveOf(link, layout);
  }

  private archiveOf(link: DownloadLink, layout: ArchiveLayout): Archive {
    const fileName = safeFileName({ fileName: link.title || UNTITLED, fileExtension: 'zip' });
    return { link, layout, sections: this.layouts.sectionsOf(layout.id), size: sizeOf(layout), fileName };
  }

  /** A hash of all that a layout depends on, apart from the time. */
  private async keyOf(link: DownloadLink) {
    const formats = await this.offers.offeredFormats(link);
    const files = await this.media.versionOf(link.customerId, link.mediaContainerIds, formats);
    return {
      downloadLinkId: link.id,
      version: createHash('sha256')
        .update(JSON.stringify([FORMAT, files, formats]))
        .digest('base64url'),
    };
  }

  private async layOut(link: DownloadLink, key: LayoutKey): Promise<ArchiveLayout> {
    const { from: validFrom, until: validUntil } = await this.offers.findPeriod(link);
    const kept = await this.layouts.start(key, { validFrom, validUntil });
    const layout = new ZipLayout<ArchivedObject>();
    const adding = { layout, names: new ArchiveNames(), hash: createHash('sha256').update(FORMAT), missing: [] as number[] };
    for await (const items of this.offers.listFiles(link)) {
      if (items.length === 0) continue;
      const listed = await this.listObjects(items);
      await inTurns(addFiles(listed, adding));
      await this.layouts.addSection(kept.id, layout.takeSection());
    }
    if (layout.totals.files === 0) throw generalErrors.not_found('This link has no files to download at the moment.');
    await this.checksumsJob.request(`download link ${link.id}`, adding.missing.slice(0, MAX_REQUESTED));
    const etag = `"${adding.hash.digest('base64url')}"`;
    return await this.layouts.finish({ ...kept, ...layout.totals, complete: layout.isComplete, etag });
  }

  /** The objects of files as they were accepted. Files that the first versions of the service stored have no entity tag. */
  private async listObjects(items: readonly DeliverableItem[]): Promise<ListedFile[]> {
    const checksums = new Map((await this.checksums.findMany(items.map(({ id }) => id))).map((one) => [one.id, one]));
    const listed: ListedFile[] = [];
    for (const item of items) {
      const { s3Key: key, version, id, mediaContainerId } = item;
      const { crc32 = null, createdAt: modifiedAt } = checksums.get(id) ?? {};
      const etag = item.etag ?? (await this.objects.find(item))?.etag;
      if (etag === undefined || !modifiedAt) throw mediaNotAvailable(GONE);
      listed.push({ item, crc32, modifiedAt, content: { key, version, etag, id, mediaContainerId } });
    }
    return listed;
  }
}

interface ListedFile {
  readonly item: DeliverableItem;
  readonly crc32: number | null;
  readonly modifiedAt: Date;
  readonly content: ArchivedObject;
}

interface Adding {
  readonly layout: ZipLayout<ArchivedObject>;
  readonly names: ArchiveNames;
  readonly hash: Hash;
  /** The ids of items without a checksum. */
  readonly missing: number[];
}

/** Adds files to a layout. Pauses after every file (`inTurns`). */
function* addFiles(listed: readonly ListedFile[], { layout, names, hash, missing }: Adding): Generator<void, void> {
  for (const { item, crc32, modifiedAt, content } of listed) {
    const { key, version, etag } = content;
    const file = { name: names.add(item), size: item.fileSize, crc32, modifiedAt, content: { key, version, etag } };
    hash.update(JSON.stringify(file));
    layout.add({ ...file, content });
    if (crc32 === null) missing.push(item.id);
    yield;
  }
}
