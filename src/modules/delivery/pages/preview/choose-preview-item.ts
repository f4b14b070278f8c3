import type { Format } from '../../../formats/index.js';
import type { DeliverableItem } from '../../../media/index.js';
import { isPicture } from '../../media-kinds.js';

interface PreviewSource {
  readonly type: string;
  readonly items: readonly DeliverableItem[];
  readonly formats: ReadonlyMap<number, Format>;
  /** Of an image: the files that may be shown whole, the best one first. */
  readonly delivered: readonly DeliverableItem[];
  /** Pixels of the place it is shown in, from side to side. */
  readonly width: number;
}

/**
 * The preview picture of a container: of the preview files, including thumbnails, the one that fits best; otherwise for an image the image
 * itself, and for other media any picture that was made of it. Null: it has no picture.
 */
export function choosePreviewItem({ type, items, formats, delivered, width }: PreviewSource): DeliverableItem | null {
  const pictures = items.filter(({ fileExtension }) => isPicture(fileExtension));
  const formatOf = ({ formatId }: DeliverableItem) => (formatId === null ? undefined : formats.get(formatId));
  const made = pictures.filter((item) => formatOf(item)?.usage === 'preview');
  const marked = made.filter((item) => formatOf(item)?.settings.previewFormat);
  const preferred = bestFit(marked.length > 0 ? marked : made, width);
  if (preferred) return preferred;
  return (type === 'image' ? delivered.find(({ fileExtension }) => isPicture(fileExtension)) : bestFit(pictures, width)) ?? null;
}

/** The smallest picture that fills the width, or else the largest; one of unknown size only if there is no other. */
function bestFit(pictures: readonly DeliverableItem[], wanted: number): DeliverableItem | undefined {
  const bySize = pictures.filter(({ width }) => width !== null).toSorted((one, other) => Number(one.width) - Number(other.width));
  return bySize.find(({ width }) => Number(width) >= wanted) ?? bySize.at(-1) ?? pictures[0];
}
