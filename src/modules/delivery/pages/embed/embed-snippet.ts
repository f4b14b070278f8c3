import { playerFormats } from '../../files/choose-file.js';
import type { OpenedLink } from '../../gate/delivery-gate.service.js';

/** Size of a player in pixels. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

type Size = { readonly width: number | null; readonly height: number | null };

/** The ratio of media whose size is unknown. */
const WIDESCREEN = 16 / 9;
/** The height of a sound player in pixels: name, controls and tools (embed-audio.css). */
export const AUDIO_HEIGHT = 140;

/**
 * The size of the largest picture that players show for a link, or else of any file with a known size; its ratio is that of the film. Null: unknown.
 */
export function mediaShape(opened: Pick<OpenedLink, 'formats' | 'items'> & { readonly link: { readonly type: string } }): Box | null {
  if (opened.link.type === 'audio') return null;
  return largest(playerFormats(opened).map(({ item }) => item)) ?? largest(opened.items);
}

function largest(items: readonly Size[]): Box | null {
  const sized = items.flatMap(({ width, height }) => (width && height ? [{ width, height }] : []));
  return sized.toSorted((one, other) => other.width * other.height - one.width * one.height)[0] ?? null;
}

/** Width divided by height of a player without a fixed box; null: sound has a height and no ratio. */
export const ratioOf = (type: string, shape: Box | null): number | null =>
  type === 'audio' ? null : shape ? shape.width / shape.height : WIDESCREEN;

/** The fixed box of a configuration; a missing side follows from the media. Null: responsive. */
export function boxOf({ width, height }: Size, type: string, shape: Box | null): Box | null {
  if (width === null && height === null) return null;
  const ratio = shape ? shape.width / shape.height : WIDESCREEN;
  if (type === 'audio') return { width: width ?? Math.round(AUDIO_HEIGHT * WIDESCREEN), height: height ?? AUDIO_HEIGHT };
  if (width !== null) return { width, height: height ?? Math.max(1, Math.round(width / ratio)) };
  return { width: Math.max(1, Math.round(Number(height) * ratio)), height: Number(height) };
}

/** Scales a box down until it fits, with the same ratio. */
export function fitInto(
  { width, height }: Box,
  { maxWidth, maxHeight }: { maxWidth?: number | undefined; maxHeight?: number | undefined },
): Box {
  const scale = Math.min(1, (maxWidth ?? width) / width, (maxHeight ?? height) / height);
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/** The parts of an opened link that determine its player. */
type Shown = Pick<OpenedLink, 'formats' | 'items'> & {
  readonly link: { readonly type: string };
  readonly configuration: Size;
  readonly container: { readonly name: string };
};

/** HTML that shows a link in a page, within limits in pixels: the same in oEmbed, on the player page and in the API. */
export function snippetOf(opened: Shown, url: string, { maxWidth, maxHeight }: Limits = {}): string {
  const { type } = opened.link;
  const shape = mediaShape(opened);
  const fixed = boxOf(opened.configuration, type, shape);
  const box = fixed && fitInto(fixed, { maxWidth, maxHeight });
  return embedSnippet({ url, title: opened.container.name, box, ratio: ratioOf(type, shape), maxWidth, maxHeight });
}

interface SnippetOptions {
  readonly url: string;
  readonly title: string;
  /** Null: responsive, as wide as the page allows. */
  readonly box: Box | null;
  /** Width divided by height of a responsive player; null for sound. */
  readonly ratio: number | null;
  /** Limits of a responsive player, in pixels. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/**
 * HTML that shows a link in a page. The frame always has the ratio of the film, so that the picture fills it; therefore the limits of a responsive
 * player become one limit of its width. The `referrerpolicy` sends the page's host to the service, which some links require.
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

/** The style of a responsive frame. A portrait film is no higher than the window: at the full width of the page it would be several screens high. */
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
