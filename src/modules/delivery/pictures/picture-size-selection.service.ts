import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { extensionOf, PictureResizingService, UnreadablePicture, type WantedPicture } from '../../converter/index.js';
import {
  chooseLadderSize,
  type DeliverableItem,
  nearestSize,
  type PictureItem,
  PicturesRepository,
  type ReadySize,
  type WantedSize,
} from '../../media/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { isPicture } from '../files/choose-file.js';
import type { PictureFormats } from './picture-formats.js';

/** A viewer who waits longer gets another size (contract section 13.4). */
const WAIT_MS = 3_000;
/** If browsers can show nothing else, waiting is better than an error: most pictures are made within this time. */
const LONG_WAIT_MS = 15_000;
const RETRY_SECONDS = 5;

/** A file type by the picture, and a size. */
interface Wanted {
  readonly size: WantedSize;
  readonly formats: PictureFormats;
  /** Whether the file of the source may be delivered while no size of it is ready. */
  readonly mayBeSource: boolean;
}

/** A picture for a viewer. */
export interface SelectedPicture {
  /** The object to deliver, as if it were the file of the media item. */
  readonly item: DeliverableItem;
  /** False: another size, because the wanted one is still being made. */
  readonly isReady: boolean;
}

/** Finds or makes a picture in the size that a viewer wants. */
@Injectable()
export class PictureSizeSelectionService {
  constructor(
    private readonly resizing: PictureResizingService,
    private readonly pictures: PicturesRepository,
  ) {}

  /** Throws 404 `no_picture`, 409 `object_changed`, and 503 `picture_not_ready`. */
  async open(source: DeliverableItem, customerId: number, wanted: Wanted): Promise<SelectedPicture> {
    try {
      return await this.findOrMake(source, { ...source, customerId }, wanted);
    } catch (error) {
      if (error instanceof UnreadablePicture) throw noPicture('The picture of this link cannot be read.');
      throw error;
    }
  }

  private async findOrMake(source: DeliverableItem, item: PictureItem, { size, formats, mayBeSource }: Wanted): Promise<SelectedPicture> {
    const wanted: WantedPicture = { size, formatFor: (picture) => formats.chooseFor(picture) };
    const ready = await this.resizing.find(item, wanted);
    if (ready) return { item: asItem(source, ready), isReady: true };
    const making = this.resizing.make(item, wanted);
    const made = await within(making, WAIT_MS);
    if (made) return { item: asItem(source, made), isReady: true };
    const other = await this.findNearest(item, { size, formats });
    if (other) return { item: asItem(source, other), isReady: false };
    if (mayBeSource && isPicture(source.fileExtension)) return { item: source, isReady: false };
    const late = await within(making, LONG_WAIT_MS - WAIT_MS);
    if (late) return { item: asItem(source, late), isReady: true };
    throw deliveryErrors.picture_not_ready('The picture is being prepared. Try again in some seconds.', { retryAfter: RETRY_SECONDS });
  }

  private async findNearest(item: PictureItem, { size, formats }: Omit<Wanted, 'mayBeSource'>): Promise<ReadySize | null> {
    const ready = await this.pictures.findReady(item);
    const { width, height } = item;
    const wanted = width && height ? chooseLadderSize({ width, height }, size) : { width: size.width, height: size.height ?? size.width };
    return nearestSize(
      ready.filter(({ format }) => formats.accepts(format)),
      wanted,
    );
  }
}

/** The error for a link without a picture. */
export const noPicture = (detail = 'This link shows no picture.') => deliveryErrors.no_picture(detail);

const asItem = (source: DeliverableItem, { s3Key, etag, version, fileSize, width, height, format }: ReadySize): DeliverableItem => ({
  ...source,
  ...{ s3Key, etag, version, fileSize, width, height },
  fileExtension: extensionOf(format),
});

/** The result of `work`, or null if it takes longer. */
async function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work, delay(milliseconds, null, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
