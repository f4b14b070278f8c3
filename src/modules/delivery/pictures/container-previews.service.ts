import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { FormatReaderService, isReadablePicture, type VisibleFormats } from '../../formats/index.js';
import { type ContainerPreview, type ContainerPreviews, type ContainerWithMedia, type PreviewFinder } from '../../library/index.js';
import {
  AcceptedObjectsService,
  type KnownPictures,
  type MediaItem,
  MediaItemsRepository,
  PicturesRepository,
  previewSizeOf,
} from '../../media/index.js';
import { choosePreviewItem } from '../files/choose-file.js';
import { PictureFormats } from './picture-formats.js';
import { noPicture, PictureSizeSelectionService } from './picture-size-selection.service.js';
import { PreviewTicketsService } from './preview-tickets.service.js';

/** Pixels of the longer side of a preview. */
const PREVIEW_SIDE = 480;
/** Longer than browsers cache the redirect. */
const URL_SECONDS = 900;

/** The previews of media containers, for the users of their customer. */
@Injectable()
export class ContainerPreviewsService implements ContainerPreviews {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly pictures: PicturesRepository,
    private readonly items: MediaItemsRepository,
    private readonly tickets: PreviewTicketsService,
    private readonly sizes: PictureSizeSelectionService,
    private readonly objects: AcceptedObjectsService,
    private readonly config: Config,
  ) {}

  /**
   * The URL of the picture that a ticket names, at the storage or a CDN. `isReady`: false while another size is delivered. Throws 404 `not_found` and
   * what PictureSizeSelectionService throws.
   */
  async open(ticket: string, accept: string | undefined): Promise<{ readonly url: string; readonly isReady: boolean }> {
    const source = await this.find(ticket);
    const shape = shapeOf(source, { find: () => null }) ?? (await this.pictures.findSource(source));
    if (!shape?.width) throw noPicture('The preview of this media container cannot be read.');
    const size = { width: previewSizeOf(shape).width, fit: 'inside' as const };
    // The source may be the file as it was uploaded, which a preview never is: support staff see previews.
    const wanted = { size, formats: new PictureFormats('auto', accept), mayBeSource: false };
    const { item, isReady } = await this.sizes.open(source, source.customerId, wanted);
    const { fileName, fileExtension } = item;
    const contentType = mimeTypeOf(fileExtension);
    const url = await this.objects.signedUrl(item, { expiresInSeconds: URL_SECONDS, disposition: 'inline', fileName, contentType });
    return { url, isReady };
  }

  private async find(ticket: string): Promise<MediaItem> {
    const read = this.tickets.read(ticket);
    const [item] = read && read.mediaId <= MAX_ID ? await this.items.findMany([read.mediaId]) : [];
    if (read && item?.status === 'successful' && this.tickets.isFor(item, read)) return item;
    throw generalErrors.not_found('This preview does not exist, or its URL has expired. Read the media container again to get a new URL.');
  }

  async prepare(customerId: number, containerIds: readonly number[]): Promise<PreviewFinder> {
    const [formats, known] = await Promise.all([this.formats.visibleTo(customerId), this.pictures.findSourcesOf(containerIds)]);
    return (found) => this.present(previewItemOf(found, formats), known);
  }

  private present(item: MediaItem | null, known: KnownPictures): ContainerPreview | null {
    const shape = item && shapeOf(item, known);
    if (!shape) return null;
    const { width, height } = previewSizeOf(shape);
    const { ticket, expiresAt } = this.tickets.issue(item);
    return { url: `${this.config.publicUrl}/v5/preview/${ticket}`, width, height, expiresAt };
  }
}

/** The size of a picture as viewers see it; null: unknown, or the picture cannot be read. */
function shapeOf(item: MediaItem, { find }: KnownPictures) {
  const known = find(item);
  if (known) return known.readable ? known : null;
  const { width, height } = item;
  return width && height ? { width, height } : null;
}

/**
 * The picture of a container for its owner: poster, preview file, or for an image the original. An original also replaces a preview file that is
 * smaller than previews are. Null: there is no picture.
 */
function previewItemOf({ container, media }: ContainerWithMedia, { byId: formats }: VisibleFormats): MediaItem | null {
  const files = media.filter(({ status, test }) => status === 'successful' && !test);
  const [items, tracks] = [files.filter(({ role }) => role === null), files.filter(({ role }) => role !== null)];
  const chosen = choosePreviewItem({ type: container.type, items, tracks, formats, delivered: items, width: PREVIEW_SIDE });
  const original = container.type === 'image' ? items.find(({ fileExtension }) => isReadablePicture(fileExtension)) : undefined;
  const isTooSmall = chosen?.role === null && Math.max(chosen.width ?? 0, chosen.height ?? 0) < PREVIEW_SIDE;
  const item = chosen && !isTooSmall ? chosen : (original ?? chosen);
  return files.find(({ id }) => id === item?.id) ?? null;
}
