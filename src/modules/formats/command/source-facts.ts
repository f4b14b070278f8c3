import type { MediaType } from '../format-settings.js';

/** What is known of the source; null: not known. */
export interface SourceFacts {
  readonly mediaType: MediaType;
  /** Pixels as stored, before the rotation. */
  readonly width: number | null;
  readonly height: number | null;
  /** Degrees by which a player turns it. */
  readonly rotation: number | null;
  /** Width of a stored pixel by its height; null: square, or not known. */
  readonly pixelAspect: number | null;
  /** Seconds. */
  readonly duration: number | null;
  /** Frames per second. */
  readonly frameRate: number | null;
  readonly hasAudio: boolean | null;
  readonly hasVideo: boolean | null;
  /** Without a dot; of an image the true one, as its content says. */
  readonly fileExtension: string | null;
}

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size in which it is shown; null: not known. */
export function displaySize({ width, height, rotation }: Pick<SourceFacts, 'width' | 'height' | 'rotation'>): Size | null {
  if (!width || !height) return null;
  return Math.abs(rotation ?? 0) % 180 === 90 ? { width: height, height: width } : { width, height };
}
