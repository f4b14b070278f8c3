import { playerFormats } from '../../files/choose-format.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';

/** Size of a player in pixels. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

type Size = { readonly width: number | null; readonly height: number | null };

/** Of media whose size is not known. */
const WIDESCREEN = 16 / 9;
/** Name, controls and tools of a sound (embed-audio.css). */
export const AUDIO_HEIGHT = 140;

/** The size of the largest picture that players show of a link, else of any file that has one; its shape is that of the film. Null: not known. */
export function mediaShape(opened: Pick<OpenedLink, 'formats' | 'items'> & { readonly link: { readonly type: string } }): Box | null {
  if (opened.link.type === 'audio') return null;
  return largest(playerFormats(opened).map(({ item }) => item)) ?? largest(opened.items);
}

function largest(items: readonly Size[]): Box | null {
  const sized = items.flatMap(({ width, height }) => (width && height ? [{ width, height }] : []));
  return sized.toSorted((one, other) => other.width * other.height - one.width * one.height)[0] ?? null;
}

/** Width by height of a player that has no fixed box; null: sound has a height and no shape. */
export const ratioOf = (type: string, shape: Box | null): number | null =>
  type === 'audio' ? null : shape ? shape.width / shape.height : WIDESCREEN;

/** The fixed box of a configuration; a side that it leaves open follows from the media. Null: responsive. */
export function boxOf({ width, height }: Size, type: string, shape: Box | null): Box | null {
  if (width === null && height === null) return null;
  const ratio = shape ? shape.width / shape.height : WIDESCREEN;
  if (type === 'audio') return { width: width ?? Math.round(AUDIO_HEIGHT * WIDESCREEN), height: height ?? AUDIO_HEIGHT };
  if (width !== null) return { width, height: height ?? Math.max(1, Math.round(width / ratio)) };
  return { width: Math.max(1, Math.round(Number(height) * ratio)), height: Number(height) };
}

/** The same shape, made smaller until it fits. */
export function fitInto(
  { width, height }: Box,
  { maxWidth, maxHeight }: { maxWidth?: number | undefined; maxHeight?: number | undefined },
): Box {
  const scale = Math.min(1, (maxWidth ?? width) / width, (maxHeight ?? height) / height);
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
