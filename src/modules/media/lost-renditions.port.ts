import { Injectable } from '@nestjs/common';
import type { MediaItem } from './media-item.entity.js';

/** A rendition whose object is missing or damaged. */
export type LostRendition = Pick<MediaItem, 'customerId' | 'mediaContainerId' | 'formatId'>;

/**
 * Requests the transcoding that replaces a rendition, in the ambient transaction. Returns the id of its job; null: it cannot be made again.
 */
export type RenditionMaker = (rendition: LostRendition) => Promise<string | null>;

/** How lost renditions are made again: media knows neither formats nor the queue, so the converter registers itself. */
@Injectable()
export class LostRenditions {
  private maker: RenditionMaker | null = null;

  /** Register before the application starts. */
  register(maker: RenditionMaker): void {
    this.maker = maker;
  }

  /** Throws `quota_exceeded`. */
  async makeAgain(rendition: LostRendition): Promise<string | null> {
    return (await this.maker?.(rendition)) ?? null;
  }
}
