import { Injectable } from '@nestjs/common';
import type { MediaItem } from './media-item.entity.js';

/** A rendition whose object is missing or damaged. */
export type LostRendition = Pick<MediaItem, 'customerId' | 'mediaContainerId' | 'formatId'>;

/**
 * Requests the transcoding that replaces a rendition, in the ambient transaction. Returns its job id, or null if it cannot be made again.
 */
export type RenditionMaker = (rendition: LostRendition) => Promise<string | null>;

/**
 * Requests replacements of lost renditions: media depends on neither formats nor the queue, so the converter registers itself here. It is no abstract class,
 * because the queue needs MediaRenditionsService, which asks.
 */
@Injectable()
export class LostRenditions {
  private maker: RenditionMaker | null = null;

  /** Registers the maker; must be called before the application starts. */
  register(maker: RenditionMaker): void {
    this.maker = maker;
  }

  /** Requests a replacement; returns its job id, or null if it cannot be made. Throws `quota_exceeded`. */
  async makeAgain(rendition: LostRendition): Promise<string | null> {
    return (await this.maker?.(rendition)) ?? null;
  }
}
