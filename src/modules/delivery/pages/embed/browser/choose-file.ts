/** Factor by which a picture may be enlarged without visible loss. */
const ENLARGEMENT = 1.1;

/** A size in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PlayableFile {
  /** In pixels; null: unknown. */
  readonly width: number | null;
  readonly height: number | null;
  readonly isPreview: boolean;
}

/**
 * Chooses the file to play: the smallest that fills the screen on which it is drawn, otherwise the largest. Previews are chosen only if there is
 * nothing else. Undefined: there are no files. `files`: the preferred one first.
 */
export function chooseFile<F extends PlayableFile>(files: readonly F[], screen: Size): F | undefined {
  const whole = files.filter(({ isPreview }) => !isPreview);
  const candidates = whole.length > 0 ? whole : files;
  const sized = candidates.filter(({ width }) => width !== null).toSorted((one, other) => pixels(one) - pixels(other));
  return sized.find((file) => fills(file, screen)) ?? sized.at(-1) ?? candidates[0];
}

const pixels = ({ width, height }: PlayableFile): number => (width ?? 0) * (height ?? 0);

/** Whether a file fills the screen. The picture keeps its aspect ratio, so one side is sufficient. */
const fills = (file: PlayableFile, { width, height }: Size): boolean =>
  (file.width ?? 0) * ENLARGEMENT >= width || (file.height ?? 0) * ENLARGEMENT >= height;
