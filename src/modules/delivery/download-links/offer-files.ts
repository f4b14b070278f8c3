import type { FormatProgress } from '../../converter/index.js';
import { type Format, isForDelivery, isUsedInPlayer, type VisibleFormats } from '../../formats/index.js';
import { type ContainerForDelivery, type DeliverableItem, isTextRole, type TextTrackRole } from '../../media/index.js';
import { choosePreviewItem } from '../files/choose-file.js';
import type { DownloadLink } from './download-link.entity.js';

/** Files of a page, so that each page costs the same, however many files the link offers. */
const PAGE_FILES = 100;
/** A place in a download link: a container by its position in the link, and the number of its files that come before the place. */
export interface OfferPosition {
  readonly container: number;
  readonly file: number;
}

/** A download link with the files of one page. */
export interface Offer {
  readonly link: DownloadLink;
  readonly containers: readonly OfferedContainer[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: OfferPosition | null;
}

/** Pixels. On the page a picture is 13rem wide, or as wide as a phone; twice as many pixels for dense screens. */
const PICTURE_WIDTH = 640;

/** A file in one format; `item` null: it has not been made. */
export interface OfferedFile {
  readonly format: Format;
  readonly item: DeliverableItem | null;
  /** The newest transcoding of a file that has not been made. Null: it was not requested recently. */
  readonly transcoding: FormatProgress | null;
}

/** A text track. */
export type OfferedTrack = DeliverableItem & { readonly role: TextTrackRole };

export interface OfferedContainer {
  readonly container: ContainerForDelivery['container'];
  /** The files, in the order of the link's formats. */
  readonly files: readonly OfferedFile[];
  /** The text tracks, if there is a file to which they belong. */
  readonly tracks: readonly OfferedTrack[];
  /** Its preview picture, or null. */
  readonly preview: DeliverableItem | null;
}

/**
 * The files of a container that a download link offers. A format without a file is listed with the state of its transcoding if it is made for
 * the type of the container; previews, formats that players and pages do not use, and skipped ones are left out.
 * Of several sounds for streaming, the default one is listed.
 */
export function offerFiles(
  { container, items, tracks }: ContainerForDelivery,
  { formatIds, formats, transcodings }: { formatIds: readonly number[]; formats: VisibleFormats; transcodings: readonly FormatProgress[] },
): OfferedContainer {
  const files = formatIds.flatMap((formatId): OfferedFile[] => {
    const format = formats.byId.get(formatId);
    if (!format || !isOffered(format)) return [];
    const made = items.filter((item) => item.formatId === formatId && (item.streaming?.sound === undefined || item.isDefault));
    if (made.length > 0) return made.map((item) => ({ format, item, transcoding: null }));
    if (!isExpected(format, container.type)) return [];
    const transcoding = transcodings.find((one) => one.formatId === formatId) ?? null;
    return transcoding?.isSkipped ? [] : [{ format, item: null, transcoding }];
  });
  const delivered = files.flatMap(({ item }) => item ?? []);
  const preview = choosePreviewItem({ type: container.type, items, tracks, formats: formats.byId, delivered, width: PICTURE_WIDTH });
  return { container, files, tracks: delivered.length > 0 ? tracks.filter(isTextTrack) : [], preview };
}

/** Whether links offer the files of a format. */
export const isOffered = (format: Format): boolean => format.usage !== 'preview' && isUsedInPlayer(format);

const isTextTrack = (item: DeliverableItem): item is OfferedTrack => isTextRole(item.role);

/** Whether a file may still be made. An original is uploaded, never made. */
const isExpected = (format: Format, type: string): boolean =>
  format.flag === 0 &&
  format.converter !== 'original' &&
  isForDelivery(format) &&
  (format.settings.mediaTypes ?? []).some((mediaType) => mediaType === type);

interface Cut {
  /** The containers that were read, in the order of the link. */
  readonly ids: readonly number[];
  /** The position of the first of them, and of its first file on the page. */
  readonly from: OfferPosition;
  /** The number of all containers of the link. */
  readonly containers: number;
}

/** Takes the files of one page from what containers offer. */
export function cutPage(offered: ReadonlyMap<number, OfferedContainer>, { ids, from, containers }: Cut): Omit<Offer, 'link'> {
  const shown: OfferedContainer[] = [];
  let room = PAGE_FILES;
  for (const [index, id] of ids.entries()) {
    const one = offered.get(id);
    const start = index === 0 ? from.file : 0;
    const count = one ? Math.max(0, one.files.length + one.tracks.length - start) : 0;
    if (!one || count === 0) continue;
    if (room === 0) return { containers: shown, next: { container: from.container + index, file: start } };
    shown.push({ ...one, ...cutFiles(one, { start, end: start + room }) });
    if (count > room) return { containers: shown, next: { container: from.container + index, file: start + room } };
    room -= count;
  }
  const end = from.container + ids.length;
  return { containers: shown, next: end < containers ? { container: end, file: 0 } : null };
}

/** The files and tracks of a container from `start` to before `end`; the tracks come after the files. */
function cutFiles({ files, tracks }: OfferedContainer, { start, end }: { readonly start: number; readonly end: number }) {
  const { length } = files;
  return { files: files.slice(start, end), tracks: tracks.slice(Math.max(0, start - length), Math.max(0, end - length)) };
}
