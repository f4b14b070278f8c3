import type { MediaType } from '../format-settings.js';

/** A row of descriptive metadata; no language counts as `uni`. */
export interface DescribedMetadata {
  readonly title: string;
  readonly content: string;
  readonly language?: string;
}

/**
 * What is known of a media container as far as it is written into files. `license` is as it was stored: name, usageTerms, start, end,
 * types.
 */
export interface DescribedItem {
  readonly type: MediaType | 'watermark';
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly license: Readonly<Record<string, unknown>> | null;
  readonly metadata: readonly DescribedMetadata[];
}
