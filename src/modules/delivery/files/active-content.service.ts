import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Log } from '../../../shared/logging/index.js';
import type { Format } from '../../formats/index.js';
import { AcceptedObjects, type DeliverableItem, MediaInventory } from '../../media/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';
import { hasPdfScripts } from './has-pdf-scripts.js';

/** What browsers show as a document of the origin it comes from, with its scripts. */
const ACTIVE = new Set(['svg', 'svgz', 'html', 'htm', 'shtml', 'xhtml', 'xht', 'xml', 'xsl', 'xslt', 'mht', 'mhtml']);
/** Of these a rendition has the bytes that were uploaded. */
const UNCHANGED = new Set<Format['converter']>(['original', 'copy']);
/** A second of waiting at the first delivery; larger ones are saved, and shown as a rendition. */
const MAX_PDF_BYTES = 104_857_600;
/** PDFs that a process looks through at a time: each comes from the storage piece by piece. */
const CONCURRENT_PDFS = 2;

/** Which files are the work of an uploader and may carry scripts, so that browsers are to save them and not to show them. */
@Injectable()
export class ActiveContentService {
  private readonly limit = pLimit(CONCURRENT_PDFS);
  private readonly underWay = new Map<number, Promise<boolean>>();

  constructor(
    private readonly objects: AcceptedObjects,
    private readonly inventory: MediaInventory,
    private readonly log: Log,
  ) {}

  /** A PDF is looked through once. Throws `object_changed`, `storage_unavailable`. */
  async has({ format, item }: Pick<OpenedFormat, 'format' | 'item'>): Promise<boolean> {
    if (!UNCHANGED.has(format.converter)) return false;
    const extension = item.fileExtension.toLowerCase();
    if (extension !== 'pdf') return ACTIVE.has(extension);
    return item.scripted ?? (await this.lookThrough(item));
  }

  private async lookThrough(item: DeliverableItem): Promise<boolean> {
    if (item.fileSize > MAX_PDF_BYTES) return true;
    const known = this.underWay.get(item.id);
    if (known) return await known;
    const looking = this.limit(async () => await this.read(item)).finally(() => this.underWay.delete(item.id));
    this.underWay.set(item.id, looking);
    return await looking;
  }

  private async read(item: DeliverableItem): Promise<boolean> {
    const object = await this.objects.read(item);
    if (!object) return true; // nothing is there to be shown
    try {
      const scripted = await hasPdfScripts(object.body as AsyncIterable<Buffer>);
      await this.inventory.noteScripts(item, scripted);
      return scripted;
    } catch (err) {
      this.log.warn({ err, mediaId: item.id }, 'a PDF could not be looked through for scripts; it is sent as an attachment');
      return true;
    } finally {
      object.body.destroy();
    }
  }
}
