import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../../shared/errors/index.js';
import { AcceptedObjects, type DeliverableItem } from '../../../media/index.js';
import { isSubtitle } from '../../media-kinds.js';
import { toWebVtt } from './to-web-vtt.js';

/** A hundred times those of a film; whatever is larger is no subtitles and must not fill the memory. */
const MAX_BYTES = 10_000_000;

/** Subtitles from our own origin: browsers read them from nowhere else without further ado, and SubRip not at all. */
@Injectable()
export class Subtitles {
  constructor(private readonly objects: AcceptedObjects) {}

  /** One of the files as WebVTT. Throws `not_found`, `object_changed`. */
  async read(items: readonly DeliverableItem[], mediaId: number): Promise<string> {
    const item = items.find(({ id, fileExtension }) => id === mediaId && isSubtitle(fileExtension));
    const found = item && item.fileSize <= MAX_BYTES ? await this.objects.read(item) : null;
    if (!found) throw generalErrors.not_found('There are no such subtitles.');
    if (found.size <= MAX_BYTES) return toWebVtt(await buffer(found.body));
    found.body.destroy();
    throw generalErrors.not_found('These are too large for subtitles.');
  }
}
