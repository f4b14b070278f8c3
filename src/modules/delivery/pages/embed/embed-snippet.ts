import type { Box } from './embed-box.js';

interface SnippetOptions {
  readonly url: string;
  readonly title: string;
  /** Null: as wide as the page allows. */
  readonly box: Box | null;
  /** Of a responsive player; sound has none. */
  readonly ratio: number | null;
  /** What a responsive player must not exceed, in pixels. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/**
 * HTML that shows a link in a page. The `referrerpolicy` lets the service know the page's host, which some links ask for, whatever the page
 * says for itself.
 */
export function embedSnippet({ url, title, box, ratio, maxWidth, maxHeight }: SnippetOptions): string {
  const limits = `${maxWidth ? `;max-width:${maxWidth}px` : ''}${maxHeight ? `;max-height:${maxHeight}px` : ''}`;
  const shape = ratio === null ? 'height:140px' : `aspect-ratio:${Number(ratio.toFixed(4))}`;
  const size = box
    ? `width="${box.width}" height="${box.height}" style="border:0;max-width:100%"`
    : `style="border:0;width:100%;${shape}${limits}"`;
  const allow = 'allow="autoplay; fullscreen; picture-in-picture" allowfullscreen';
  return `<iframe src="${escaped(url)}" title="${escaped(title)}" ${size} ${allow} loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
