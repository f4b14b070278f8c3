import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Log } from '../../../shared/logging/index.js';
import type { Format } from '../../formats/index.js';
import { AcceptedObjectsService, type DeliverableItem, MediaItemsRepository } from '../../media/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';
import { hasPdfScripts } from './has-pdf-scripts.js';

/** Extensions of files that browsers show with their scripts, as documents of the origin that sends them. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);
/** The files of these converters have the same bytes as the upload. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);
/** A PDF of this size takes about a second to scan at the first delivery; larger ones are always downloaded, and shown as a rendition. */
const MAX_PDF_BYTES = 104_857_600;
/** The number of PDFs that a process scans concurrently; each is read from the storage in pieces. */
const CONCURRENT_PDFS = 2;

/** Finds uploaded files that may contain scripts, so that browsers download them instead of showing them. */
@Injectable()
export class ActiveContentService {
  private readonly limit = pLimit(CONCURRENT_PDFS);
  private readonly scanning = new Map<number, Promise<boolean>>();

  constructor(
    private readonly objects: AcceptedObjectsService,
    private readonly inventory: MediaItemsRepository,
    private readonly log: Log,
  ) {}

  /** Whether a file may contain scripts; each PDF is scanned once. Throws `object_changed`, `storage_unavailable`. */
  async hasActiveContent({ format, item }: Pick<OpenedFormat, 'format' | 'item'>): Promise<boolean> {
    if (!UNCHANGED.has(format.converter)) return false;
    const extension = item.fileExtension.toLowerCase();
    if (extension !== 'pdf') return ACTIVE.has(extension);
    return item.scripted ?? (await this.scan(item));
  }

  private async scan(item: DeliverableItem): Promise<boolean> {
    if (item.fileSize > MAX_PDF_BYTES) return true;
    const known = this.scanning.get(item.id);
    if (known) return await known;
    const scan = this.limit(async () => await this.read(item)).finally(() => this.scanning.delete(item.id));
    this.scanning.set(item.id, scan);
    return await scan;
  }

  private async read(item: DeliverableItem): Promise<boolean> {
    const object = await this.objects.read(item);
    if (!object) return true; // the object is gone, so there is nothing to show
    try {
      const scripted = await hasPdfScripts(object.body as AsyncIterable<Buffer>);
      await this.inventory.recordScripts(item, scripted);
      return scripted;
    } catch (err) {
      this.log.warn(
        { err, operation: 'GetObject', mediaId: item.id },
        'a PDF could not be looked through for scripts; it is sent as an attachment',
      );
      return true;
    } finally {
      object.body.destroy();
    }
  }
}
