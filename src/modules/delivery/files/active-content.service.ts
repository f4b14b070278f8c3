import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Log } from '../../../shared/logging/index.js';
import type { Format } from '../../formats/index.js';
import { AcceptedObjectsService, type DeliverableItem, MediaItemsRepository } from '../../media/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';
import { hasPdfScripts } from './has-pdf-scripts.js';

/** Files that browsers show with their scripts, as documents of the origin that they come from. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);
/** Renditions of these converters have the bytes of the upload. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);
/** Takes about a second to scan at the first delivery; larger PDFs are always downloaded, and shown as a rendition. */
const MAX_PDF_BYTES = 104_857_600;
/** PDFs that a process scans at a time; each is read from the storage piece by piece. */
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

  /** A PDF is scanned once. Throws `object_changed`, `storage_unavailable`. */
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
