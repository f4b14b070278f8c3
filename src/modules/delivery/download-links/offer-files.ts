import type { FormatProgress } from '../../converter/index.js';
import type { Format, VisibleFormats } from '../../formats/index.js';
import type { ContainerForDelivery, DeliverableItem } from '../../media/index.js';
import { isForDelivery, isUsedInPlayer } from '../files/choose-format.js';
import { choosePreviewItem } from '../pages/preview/choose-preview-item.js';

/** On the page a picture is 13rem wide, and the whole screen of a phone; screens have two pixels for one. */
const PICTURE_WIDTH = 640;

/** One file in one format; `item` null: it has not been made. */
export interface OfferedFile {
  readonly format: Format;
  readonly item: DeliverableItem | null;
  /** Of a file that has not been made: how its newest transcoding is doing. Null: it was not asked for lately. */
  readonly transcoding: FormatProgress | null;
}

export interface OfferedContainer {
  readonly container: ContainerForDelivery['container'];
  /** In the order of the link's formats. */
  readonly files: readonly OfferedFile[];
  /** The picture that stands for it, or null. */
  readonly preview: DeliverableItem | null;
}

/**
 * The files of a container that a download link offers. A format that suits the container but has no file is listed with what is known of
 * its transcoding; previews, and formats that are kept from players and pages, are left out.
 */
export function offerFiles(
  { container, items }: ContainerForDelivery,
  { formatIds, formats, transcodings }: { formatIds: readonly number[]; formats: VisibleFormats; transcodings: readonly FormatProgress[] },
): OfferedContainer {
  const files = formatIds.flatMap((formatId): OfferedFile[] => {
    const format = formats.byId.get(formatId);
    if (!format || format.usage === 'preview' || !isUsedInPlayer(format)) return [];
    const made = items.filter((item) => item.formatId === formatId);
    if (made.length > 0) return made.map((item) => ({ format, item, transcoding: null }));
    if (!isExpected(format, container.type)) return [];
    return [{ format, item: null, transcoding: transcodings.find((one) => one.formatId === formatId) ?? null }];
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
