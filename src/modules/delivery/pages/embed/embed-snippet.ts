import { AUDIO_HEIGHT, type Box } from './embed-box.js';

interface SnippetOptions {
  readonly url: string;
  readonly title: string;
  /** Null: responsive, as wide as the page allows. */
  readonly box: Box | null;
  /** Width by height of a responsive player; null for sound. */
  readonly ratio: number | null;
  /** Limits of a responsive player, in pixels. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/**
 * HTML that shows a link in a page. The frame always has the shape of the film, so that the picture fills it; the limits of a responsive player
 * are therefore one limit of its width. The `referrerpolicy` names the page's host to the service, which some links require.
 */
export function embedSnippet({ url, title, box, ratio, maxWidth, maxHeight }: SnippetOptions): string {
  const size = box
    ? `width="${box.width}" height="${box.height}" style="border:0;max-width:100%;height:auto;aspect-ratio:${box.width}/${box.height}"`
    : `style="border:0;width:100%;${ratio === null ? soundStyle({ maxWidth, maxHeight }) : shapeStyle(ratio, { maxWidth, maxHeight })}"`;
  const allow = 'allow="autoplay; fullscreen; picture-in-picture" allowfullscreen';
  return `<iframe src="${escaped(url)}" title="${escaped(title)}" ${size} ${allow} loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>`;
}

type Limits = Pick<SnippetOptions, 'maxWidth' | 'maxHeight'>;

const soundStyle = ({ maxWidth, maxHeight }: Limits): string =>
  [`height:${AUDIO_HEIGHT}px`, maxWidth && `max-width:${maxWidth}px`, maxHeight && `max-height:${maxHeight}px`].filter(Boolean).join(';');

/** A portrait film is no higher than the window: as wide as the page it would be several screens high. */
function shapeStyle(ratio: number, { maxWidth, maxHeight }: Limits): string {
  const shape = `aspect-ratio:${rounded(ratio)}`;
  const pixels = Math.floor(Math.min(maxWidth ?? Number.POSITIVE_INFINITY, (maxHeight ?? Number.POSITIVE_INFINITY) * ratio));
  const limits = [...(ratio < 1 ? [`${rounded(100 * ratio)}vh`] : []), ...(Number.isFinite(pixels) ? [`${Math.max(1, pixels)}px`] : [])];
  if (limits.length === 0) return shape;
  return `${shape};max-width:${limits.length === 1 ? limits[0] : `min(${limits.join(',')})`}`;
}

const rounded = (value: number): number => Number(value.toFixed(4));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
