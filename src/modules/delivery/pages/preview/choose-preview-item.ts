import type { Format } from '../../../formats/index.js';
import type { DeliverableItem } from '../../../media/index.js';
import { isPicture } from '../../media-kinds.js';

interface PreviewSource {
  readonly type: string;
  readonly items: readonly DeliverableItem[];
  readonly formats: ReadonlyMap<number, Format>;
  /** Of an image: the files that may be shown whole, the best one first. */
  readonly delivered: readonly DeliverableItem[];
}

/**
 * The picture that stands for a container: one that was made as a preview or thumbnail; else of an image the image, of anything else any picture
 * that was made of it. Null: there is none.
 */
export function choosePreviewItem({ type, items, formats, delivered }: PreviewSource): DeliverableItem | null {
  const pictures = items.filter(({ fileExtension }) => isPicture(fileExtension));
  const formatOf = ({ formatId }: DeliverableItem) => (formatId === null ? undefined : formats.get(formatId));
  const made = pictures.filter((item) => {
    const format = formatOf(item);
    return format?.usage === 'preview' || format?.settings.createThumbnailVersions === true;
  });
  const preferred = made.find((item) => formatOf(item)?.settings.previewFormat) ?? made[0];
  if (preferred) return preferred;
  return (type === 'image' ? delivered.find(({ fileExtension }) => isPicture(fileExtension)) : pictures[0]) ?? null;
}
