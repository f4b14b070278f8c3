/** Size of a player in pixels. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

type Size = { readonly width: number | null; readonly height: number | null };

/** Where nobody knows better. */
const WIDESCREEN = 16 / 9;
/** The controls of a sound, and the line below. */
const AUDIO_HEIGHT = 140;

/** The fixed box of a configuration; a side that it leaves open follows from the media. Null: responsive. */
export function boxOf({ width, height }: Size, type: string, media: Size | undefined): Box | null {
  if (width === null && height === null) return null;
  const ratio = aspectRatio(media);
  if (type === 'audio') return { width: width ?? Math.round(AUDIO_HEIGHT * WIDESCREEN), height: height ?? AUDIO_HEIGHT };
  if (width !== null) return { width, height: height ?? Math.max(1, Math.round(width / ratio)) };
  return { width: Math.max(1, Math.round(Number(height) * ratio)), height: Number(height) };
}

/** Width by height of a file, as far as it is known. */
export const aspectRatio = (media: Size | undefined): number => (media?.width && media.height ? media.width / media.height : WIDESCREEN);

/** The same shape, made smaller until it fits. */
export function fitInto(
  { width, height }: Box,
  { maxWidth, maxHeight }: { maxWidth?: number | undefined; maxHeight?: number | undefined },
): Box {
  const scale = Math.min(1, (maxWidth ?? width) / width, (maxHeight ?? height) / height);
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
