import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { DeliverableItem } from '../../media/index.js';
import { type DeliveredFile, FilesService } from '../files/files.service.js';
import { DeliveryGateService, type OpenedLink } from '../gate/delivery-gate.service.js';
import { type PreviewImage, PreviewImagesService } from '../pages/preview/preview-images.service.js';
import { largestPicture } from './choose-picture.js';
import { PictureFormats } from './picture-formats.js';
import { noPicture, PictureSizeSelectionService } from './picture-size-selection.service.js';
import type { DeliverPictureDto } from './pictures.dto.js';

/** The file of a picture, and whether it has the size that was asked for. */
interface DeliveredPicture {
  readonly file: DeliveredFile;
  readonly isReady: boolean;
}

/** Delivers the pictures of embed links in any size. */
@Injectable()
export class EmbedPicturesService {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly previews: PreviewImagesService,
    private readonly sizes: PictureSizeSelectionService,
    private readonly files: FilesService,
  ) {}

  /** Opens the picture of a link. Throws what the gate throws, 404 `no_picture`, 503 `picture_not_ready`, and what FilesService throws. */
  async open({ link, width, height, fit = 'inside', format = 'auto' }: DeliverPictureDto, request: Request): Promise<DeliveredPicture> {
    const opened = await this.gate.open(link, request, { fromPlayer: true, isUse: true });
    const picture = await this.find(opened);
    if (!picture) throw noPicture();
    if (!picture.item) return { file: { url: picture.url }, isReady: true };
    const formats = new PictureFormats(format, request.headers.accept);
    const wanted = {
      size: { width, height, fit },
      formats,
      mayBeSource: picture.item.id !== opened.shownOriginal?.id || isDelivered(opened, picture.item),
    };
    const { item, isReady } = await this.sizes.open(picture.item, opened.container.customerId, wanted);
    return { file: await this.files.send(opened, item, request), isReady };
  }

  /** For an image the largest picture that players show; otherwise the preview picture. */
  private async find(opened: OpenedLink): Promise<PreviewImage | null> {
    const largest = opened.link.type === 'image' ? largestPicture(opened) : null;
    return largest ? { item: largest } : await this.previews.find(opened);
  }
}

/** Whether viewers may get the file itself. */
const isDelivered = ({ formats }: OpenedLink, { id }: DeliverableItem): boolean => formats.some(({ item }) => item.id === id);
