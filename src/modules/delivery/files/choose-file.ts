import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { type Drawing, drawingOf, type Format, isUsedInPlayer } from '../../formats/index.js';
import type { DeliverableItem } from '../../media/index.js';
import type { DeliveryRequest, OpenedFormat, OpenedLink } from '../gate/delivery-gate.service.js';

/** Extensions of images that browsers show. SVG is excluded, because an uploaded one may contain scripts. */
const PICTURES = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'bmp']);
const PLAYABLE = new Set(['mp4', 'm4v', 'webm', 'ogv', 'mp3', 'm4a', 'aac', 'wav', 'flac', 'ogg', 'oga', 'opus', 'weba']);
/** Codecs that browsers in general play, as ffprobe names them. */
const PLAYABLE_CODECS = new Set(['h264', 'vp8', 'vp9', 'av1', 'theora', 'aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_u8']);
const SUBTITLES = new Set(['vtt', 'srt']);

/** Whether browsers show files with this extension as images. */
export const isPicture = (extension: string): boolean => PICTURES.has(extension.toLowerCase());

/** Whether browsers in general play a file. `codec` null: unknown, so the usual codec of the extension is assumed. */
export const isPlayable = (extension: string, codec: string | null = null): boolean =>
  PLAYABLE.has(extension.toLowerCase()) && (codec === null || PLAYABLE_CODECS.has(codec));

/** The media type by which a browser can decide whether it plays a file; it names the codec if that is unusual. */
export function playedTypeOf(extension: string, codec: string | null): string {
  const type = mimeTypeOf(extension);
  if (codec === null || PLAYABLE_CODECS.has(codec)) return type;
  return `${type}; codecs="${codec === 'hevc' ? 'hvc1' : codec}"`; // the variant that some browsers play
}

/** Whether files with this extension contain subtitles. */
export const isSubtitle = (extension: string): boolean => SUBTITLES.has(extension.toLowerCase());

/**
 * The file to deliver: of the requested format, or else of the first format of the configuration that players use and that, for a download, is
 * downloadable. Null: there is no such file yet.
 */
export function chooseFormat(
  formats: readonly OpenedFormat[],
  { formatId, download }: Pick<DeliveryRequest, 'formatId' | 'download'>,
): OpenedFormat | null {
  if (formatId !== undefined) return formats.find(({ format }) => format.id === formatId) ?? null;
  return formats.find(({ format, downloadable }) => isUsedInPlayer(format) && (!download || downloadable)) ?? null;
}

/** The formats that players use, in the order of the configuration. */
export const playerFormats = ({ formats }: { readonly formats: readonly OpenedFormat[] }): readonly OpenedFormat[] =>
  formats.filter(({ format }) => isUsedInPlayer(format));

type Streamed = Pick<OpenedLink, 'formats' | 'items'>;

/**
 * The formats that adaptive players choose from, in the order of the configuration. A preview is only shown until there is something better. If the
 * sounds of a film are files of their own, its pictures without sound are chosen together with them, and otherwise not at all.
 */
export function streamingFormats(opened: Streamed): readonly OpenedFormat[] {
  const streamed = streamedFormats(opened);
  const apart = streamed.filter(({ item }) => item.streaming?.isSoundApart);
  if (apart.length === 0) return streamed;
  const [sound] = soundsOf(opened);
  if (!sound) return streamed.filter(({ item }) => !item.streaming?.isSoundApart);
  return streamed.flatMap((one) => {
    if (one.item.formatId === sound.formatId) return [{ ...one, item: sound }];
    return one.item.streaming?.isSoundApart ? [one] : [];
  });
}

const streamedFormats = (opened: Streamed): readonly OpenedFormat[] =>
  playerFormats(opened).filter(({ format, item }) => item.streaming !== null && format.usage !== 'preview');

/**
 * The sounds of a film between which viewers choose, the default first; empty: it has only one, which is part of its streaming renditions. They belong
 * to the pictures without sound that the configuration names, whether it names their own format or not.
 */
export function soundsOf(opened: Streamed): readonly DeliverableItem[] {
  const streamed = streamedFormats(opened);
  const hasPictures = streamed.some(({ item }) => isStreamedPicture(item));
  if (hasPictures && !streamed.some(({ item }) => item.streaming?.isSoundApart)) return [];
  const isSound = (item: DeliverableItem) => item.streaming !== null && !isStreamedPicture(item);
  const listed = streamed.find(({ item }) => isSound(item))?.item;
  const chosen = listed ?? (hasPictures ? opened.items.findLast((item) => isSound(item) && item.streaming?.sound) : undefined);
  const sounds = opened.items.filter((item) => isSound(item) && item.formatId === chosen?.formatId);
  if (!hasPictures && sounds.length < 2) return [];
  return sounds.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault) || one.id - other.id);
}

const isStreamedPicture = ({ streaming }: DeliverableItem): boolean => streaming !== null && streaming.frameRate !== null;

/** The file with this id among what adaptive players choose from, or among the sounds of the film; null: it is not one of them. */
export const findStreamed = (opened: Streamed, mediaId: number): DeliverableItem | null =>
  [...streamingFormats(opened).map(({ item }) => item), ...soundsOf(opened)].find(({ id }) => id === mediaId) ?? null;

interface PreviewSource {
  readonly type: string;
  readonly items: readonly DeliverableItem[];
  readonly tracks: readonly DeliverableItem[];
  readonly formats: ReadonlyMap<number, Format>;
  /** For an image: the files that may be shown as they are, the best one first. */
  readonly delivered: readonly DeliverableItem[];
  /** The width of the place where it is shown, in pixels. */
  readonly width: number;
}

/**
 * The preview picture of a container: its poster; otherwise the best fitting preview file, including thumbnails; otherwise, for an image, the image
 * itself, and for other media any picture that was made from it. A waveform is used only for audio without another picture. Null: there is no
 * picture.
 */
export function choosePreviewItem({ type, items, tracks, formats, delivered, width }: PreviewSource): DeliverableItem | null {
  const poster = tracks.findLast(({ role }) => role === 'poster');
  if (poster) return poster;
  const formatOf = ({ formatId }: DeliverableItem) => (formatId === null ? undefined : formats.get(formatId));
  const showing = (drawing: Drawing | null) => (item: DeliverableItem) => {
    const format = formatOf(item);
    return isPicture(item.fileExtension) && (format ? drawingOf(format, { byId: formats }) : null) === drawing;
  };
  const pictures = items.filter(showing(null));
  const made = pictures.filter((item) => formatOf(item)?.usage === 'preview');
  const marked = made.filter((item) => formatOf(item)?.settings.previewFormat);
  const lowest = Math.min(...marked.map(({ formatId }) => Number(formatId))); // of several marked formats (contract section 11)
  const preferred = bestFit(marked.length > 0 ? marked.filter(({ formatId }) => formatId === lowest) : made, width);
  if (preferred) return preferred;
  if (type === 'image') return delivered.find(({ fileExtension }) => isPicture(fileExtension)) ?? null;
  return bestFit(pictures, width) ?? (type === 'audio' ? bestFit(items.filter(showing('waveform')), width) : null) ?? null;
}

/** The smallest picture that fills the width, or else the largest one; one of unknown size only if there is no other. */
function bestFit(pictures: readonly DeliverableItem[], wanted: number): DeliverableItem | undefined {
  const bySize = pictures.filter(({ width }) => width !== null).toSorted((one, other) => Number(one.width) - Number(other.width));
  return bySize.find(({ width }) => Number(width) >= wanted) ?? bySize.at(-1) ?? pictures[0];
}
