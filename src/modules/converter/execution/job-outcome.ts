import type { MediaFacts, NewRendition } from '../../media/index.js';

/** What could be read of the original on the way. */
export interface SourceReport {
  readonly facts: MediaFacts;
  /** What ffprobe says of it, when the format asks for that; else null. */
  readonly technicalMetadata: object | null;
}

/**
 * How the work on a job ended:
 * - `made`: the object is in the storage; null: the format is the original itself;
 * - `failed`: it cannot be made, and trying again would not help; `log` is what a program said last, for the owner;
 * - `later`: something that may pass stood in the way (storage, disk, a program that was ended from outside).
 */
export type JobOutcome =
  | { readonly kind: 'made'; readonly rendition: NewRendition | null; readonly source: SourceReport }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly log: string | null }
  | { readonly kind: 'later'; readonly reason: string };
