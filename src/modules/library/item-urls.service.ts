import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { generalErrors } from '../../shared/errors.js';
import { mimeTypeOf } from '../../shared/mime-type-of.js';
import { AcceptedObjectsService, MediaItemsRepository, mayRunScripts, mediaErrors, RENDITIONS_PREFIX } from '../media/index.js';

/** Which file of which container, and whether browsers save it. */
interface RequestedItem {
  readonly id: number;
  readonly mediaId: number;
  readonly download?: boolean;
}

/** A URL with which any client can read a file until it expires. */
interface ItemUrl {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Long enough to look at a film; a download that has started continues afterwards. Role credentials of the service are usually valid for longer. */
const URL_SECONDS = 3_600;

/** Gives users the bytes of the files of their customer. */
@Injectable()
export class ItemUrlsService {
  constructor(
    private readonly items: MediaItemsRepository,
    private readonly objects: AcceptedObjectsService,
    private readonly clock: Clock,
  ) {}

  /**
   * A URL of a file of the caller's customer, as it was accepted. Throws `not_found`, `not_ready` for a file that has not been uploaded, `object_changed`,
   * and `support_access_denied` if support staff ask for a file as it was uploaded.
   */
  async issue({ customerId, supportUserId }: Caller, { id, mediaId, download = false }: RequestedItem): Promise<ItemUrl> {
    const item = (await this.items.findMany([mediaId])).find((found) => found.customerId === customerId && found.mediaContainerId === id);
    if (!item || item.status === 'deleted') throw generalErrors.not_found(`The media container ${id} has no media item ${mediaId}.`);
    if (supportUserId !== null && !item.s3Key.startsWith(RENDITIONS_PREFIX)) {
      throw generalErrors.support_access_denied('Support staff can read previews and renditions, but no file as it was uploaded.');
    }
    if (item.status !== 'successful')
      throw mediaErrors.not_ready('The file has not been uploaded. Try again after its success was reported.');
    const expiresAt = new Date(this.clock.now().getTime() + URL_SECONDS * 1_000);
    const { fileName, fileExtension } = item;
    const url = await this.objects.storageUrl(item, {
      expiresInSeconds: URL_SECONDS,
      disposition: download || mayRunScripts(item) ? 'attachment' : 'inline',
      fileName: fileExtension ? `${fileName}.${fileExtension}` : fileName,
      contentType: mimeTypeOf(fileExtension),
    });
    return { url, expiresAt };
  }
}
