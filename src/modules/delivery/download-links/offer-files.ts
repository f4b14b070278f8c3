import type { Format, VisibleFormats } from '../../formats/index.js';
import type { ContainerForDelivery, DeliverableItem } from '../../media/index.js';
import { isForDelivery, isUsedInPlayer } from '../files/choose-format.js';
import { choosePreviewItem } from '../pages/preview/choose-preview-item.js';

/** On the page a picture is 13rem wide, and the whole screen of a phone; screens have two pixels for one. */
const PICTURE_WIDTH = 640;

/** One file in one format; `item` null: it is not there yet. */
export interface OfferedFile {
  readonly format: Format;
  readonly item: DeliverableItem | null;
}

export interface OfferedContainer {
  readonly container: ContainerForDelivery['container'];
  /** In the order of the link's formats. */
  readonly files: readonly OfferedFile[];
  /** The picture that stands for it, or null. */
  readonly preview: DeliverableItem | null;
}

/**
 * The files of a container that a download link offers. A format that suits the container but has no file yet is offered as one that is not
 * ready; previews, and formats that are kept from players and pages, never are.
 */
export function offerFiles(
  { container, items }: ContainerForDelivery,
  { formatIds, formats }: { formatIds: readonly number[]; formats: VisibleFormats },
): OfferedContainer {
  const files = formatIds.flatMap((formatId): OfferedFile[] => {
    const format = formats.byId.get(formatId);
    if (!format || format.usage === 'preview' || !isUsedInPlayer(format)) return [];
    const made = items.filter((item) => item.formatId === formatId);
    if (made.length > 0) return made.map((item) => ({ format, item }));
    return isExpected(format, container.type) ? [{ format, item: null }] : [];
  });
  const delivered = files.flatMap(({ item }) => item ?? []);
  const preview = choosePreviewItem({ type: container.type, items, formats: formats.byId, delivered, width: PICTURE_WIDTH });
  return { container, files, preview };
}

/** An original is there or never will be. */
const isExpected = (format: Format, type: string): boolean =>
  format.flag === 0 &&
  format.converter !== 'original' &&
  isForDelivery(format) &&
  (format.settings.mediaTypes ?? []).some((mediaType) => mediaType === type);
