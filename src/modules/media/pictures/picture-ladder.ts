/** The widths in pixels in which pictures are delivered (contract section 13.4): few enough that viewers share them. */
const WIDTHS = [160, 320, 480, 640, 960, 1_280, 1_920, 2_560, 3_840];
/** The shapes of boxes, width by height, upright ones included. */
const RATIOS = [1, 4 / 3, 3 / 4, 3 / 2, 2 / 3, 16 / 9, 9 / 16, 2, 1 / 2];
/** Pixels of the longer side of a preview (contract section 13.3). */
const PREVIEW_SIDE = 480;

/** Pixels, as viewers see the picture. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
}

/** The size that a page asks for; without `height` the shape of the picture is kept, whatever `fit` says. */
export interface WantedSize {
  /** Pixels. */
  readonly width: number;
  readonly height?: number | undefined;
  /** inside: the whole picture within the box; cover: a part of it that fills the box. */
  readonly fit: 'inside' | 'cover';
}

/** A size in which a picture is made. Two sizes with the same name are the same picture. */
export interface LadderSize extends PictureShape {
  readonly name: string;
  /** Whether the shape is that of a box, so that a part of the picture is cut off. */
  readonly cover: boolean;
  /** Whether it is one of the sizes in the shape of the picture that pages offer to browsers. */
  readonly isPlain: boolean;
}

const nextWidth = (width: number): number => WIDTHS.find((one) => one >= width) ?? Math.max(...WIDTHS);

const nearestRatio = (ratio: number): number =>
  RATIOS.reduce((nearest, one) => (Math.abs(Math.log(one / ratio)) < Math.abs(Math.log(nearest / ratio)) ? one : nearest));

const scaled = ({ width, height }: PictureShape, factor: number): PictureShape => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});

const named = (shape: PictureShape, { cover = false, isPlain = false } = {}): LadderSize => ({
  ...{ width: shape.width, height: shape.height, cover, isPlain },
  name: `${shape.width}x${shape.height}${cover ? 'c' : ''}`,
});

/** Returns the size that is made for a wanted one: of the next width and the nearest ratio, and never larger than the picture. */
export function chooseLadderSize(picture: PictureShape, { width, height, fit }: WantedSize): LadderSize {
  const wide = nextWidth(width);
  if (height === undefined) return named(scaled(picture, Math.min(1, wide / picture.width)), { isPlain: true });
  const ratio = nearestRatio(width / height);
  const box = { width: wide, height: wide / ratio };
  if (fit === 'inside') {
    const factor = Math.min(1, box.width / picture.width, box.height / picture.height);
    return named(scaled(picture, factor), { isPlain: factor !== box.height / picture.height });
  }
  return named(scaled(box, Math.min(1, picture.width / box.width, picture.height / box.height)), { cover: true });
}

/** The sizes of a picture in its own shape, the smallest first. */
export function ladderOf(picture: PictureShape): readonly LadderSize[] {
  const sizes = WIDTHS.map((width) => chooseLadderSize(picture, { width, fit: 'inside' }));
  return sizes.filter(({ name }, index) => name !== sizes[index - 1]?.name);
}

/** The smallest size of a picture whose longer side has at least 480 pixels, or the largest one. */
export function previewSizeOf(picture: PictureShape): LadderSize {
  const ladder = ladderOf(picture);
  const size = ladder.find(({ width, height }) => Math.max(width, height) >= PREVIEW_SIDE) ?? ladder.at(-1);
  return size ?? named(picture, { isPlain: true });
}

/** The ready size that replaces one that is not made yet: preferably of the same shape, and then the nearest in width, rather larger than smaller. */
export function nearestSize<Size extends PictureShape>(ready: readonly Size[], wanted: PictureShape): Size | null {
  const strangeness = ({ width, height }: Size) => Math.abs(Math.log((width * wanted.height) / (height * wanted.width)));
  const distance = ({ width }: Size) => Math.abs(Math.log(width / wanted.width)) * (width < wanted.width ? 2 : 1);
  // Roundings of small sizes change their shape by some percent.
  const isAlike = (size: Size) => strangeness(size) < 0.05;
  const order = (one: Size, other: Size) => Number(isAlike(other)) - Number(isAlike(one)) || distance(one) - distance(other);
  return ready.toSorted(order)[0] ?? null;
}
