import { ladderOf } from '../../../media/index.js';
import { playerFormats } from '../../files/choose-file.js';
import type { OpenedLink } from '../../gate/delivery-gate.service.js';
import { largestPicture } from '../../pictures/choose-picture.js';
import type { DeliveryUrls } from '../delivery-urls.js';

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

interface SnippetOptions {
  /** Without the tokens of a viewer. */
  readonly urls: DeliveryUrls;
  /** The absolute address of the page. */
  readonly pageUrl: string;
  /** Limits of a responsive player, in pixels. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/** The parts of an opened link that determine its player. */
type Embedded = Pick<OpenedLink, 'formats' | 'shownOriginal' | 'items' | 'policy'> & {
  readonly link: { readonly type: string };
  readonly configuration: Size & { readonly templateId: number };
  readonly container: { readonly name: string };
};

/**
 * HTML that shows a link in a page, the same in oEmbed, on the player page and in the API: the page of the link in a frame, or a picture itself if its page would show nothing else and viewers need no sign-in.
 * The `referrerpolicy` sends the host of the page around it to the service, which some links require.
 */
export function embedSnippet(opened: Embedded, options: SnippetOptions): string {
  const { link, configuration, container } = opened;
  const shape = mediaShape(opened);
  const fixed = boxOf(configuration, link.type, shape);
  const box = fixed && fitInto(fixed, options);
  const sized = isShownAlone(opened) ? sizedPicture(opened, options.urls) : null;
  if (sized) return pictureSnippet(sized, { title: container.name, box, ...options });
  return frameSnippet({ url: options.pageUrl, title: container.name, box, ratio: ratioOf(link.type, shape), ...options });
}

/** Whether the page of a link shows a picture without a bar around it, to everyone. */
function isShownAlone({ link, configuration, policy: { settings } }: Embedded): boolean {
  return link.type === 'image' && configuration.templateId !== WITH_BAR && !settings.auth && !settings.extAuth && !settings.oauth;
}

/** The template with the name of the media, downloads and Share. */
const WITH_BAR = 1;

/** A picture in several sizes, for the attributes of an `img` element. */
export interface SizedPicture {
  readonly src: string;
  readonly srcset: string;
  /** Pixels of the largest size. */
  readonly width: number;
  readonly height: number;
}

/** The width in pixels for browsers that do not choose one. */
const USUAL_WIDTH = 1_280;

/** The picture of a link of images in its sizes; null: no picture can be read, or its size is unknown. */
export function sizedPicture(opened: Pick<OpenedLink, 'formats' | 'shownOriginal'>, urls: DeliveryUrls): SizedPicture | null {
  const { width, height } = largestPicture(opened) ?? {};
  if (!width || !height) return null;
  const ladder = ladderOf({ width, height });
  const largest = ladder.at(-1) ?? { width, height };
  const usual = ladder.find((size) => size.width >= USUAL_WIDTH) ?? largest;
  const srcset = ladder.map((size) => `${urls.image(size.width)} ${size.width}w`).join(', ');
  return { src: urls.image(usual.width), srcset, width: largest.width, height: largest.height };
}

interface PictureOptions extends Limits {
  readonly title: string;
  readonly box: Box | null;
}

/** An image that browsers load in the size that fits its place. */
export function pictureSnippet({ src, srcset, width, height }: SizedPicture, { title, box, maxWidth, maxHeight }: PictureOptions): string {
  const limit = Math.max(1, Math.floor(Math.min(width, maxWidth ?? width, ((maxHeight ?? height) * width) / height)));
  const sizes = box ? `${box.width}px` : `(max-width: ${limit}px) 100vw, ${limit}px`;
  const place = box
    ? `width="${box.width}" height="${box.height}" style="max-width:100%;height:auto;aspect-ratio:${box.width}/${box.height};object-fit:contain"`
    : `width="${width}" height="${height}" style="width:100%;height:auto;max-width:${limit}px"`;
  const source = `src="${escaped(src)}" srcset="${escaped(srcset)}" sizes="${sizes}"`;
  return `<img ${source} alt="${escaped(title)}" ${place} loading="lazy" referrerpolicy="strict-origin-when-cross-origin">`;
}

interface FrameOptions extends PictureOptions {
  readonly url: string;
  /** Width divided by height of a responsive player; null for sound. */
  readonly ratio: number | null;
}

/**
 * The page of a link in a frame. The frame always has the ratio of the film, so that the picture fills it; therefore the limits of a responsive
 * player become one limit of its width.
 */
export function frameSnippet({ url, title, box, ratio, maxWidth, maxHeight }: FrameOptions): string {
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
