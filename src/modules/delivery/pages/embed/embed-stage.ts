import { playerFormats } from '../../files/choose-format.js';
import type { OpenedFormat, OpenedLink } from '../../gate/delivery-gate.js';
import { isPicture, isPlayable, mimeTypeOf } from '../../media-kinds.js';
import type { DeliveryUrls } from '../delivery-urls.js';
import type { Box } from './embed-box.js';
import type { EmbedSource, EmbedStage, EmbedTrack } from './embed-page-data.js';
import { formatLabel } from './format-label.js';

interface StageOptions {
  readonly urls: DeliveryUrls;
  readonly tracks: readonly EmbedTrack[];
  readonly box: Box | null;
}

/** What a browser can show of a link. */
export function embedStage(opened: OpenedLink, options: StageOptions): EmbedStage {
  const { type } = opened.link;
  const formats = playerFormats(opened);
  if (type === 'video' || type === 'audio') return playing(type, formats, options);
  const pdf = formats.find(({ item }) => mimeTypeOf(item.fileExtension) === 'application/pdf');
  if (type === 'document' && pdf) return { kind: 'pdf', url: options.urls.file(pdf.format.id) };
  return picture(formats, options) ?? nothing(`This ${type} cannot be shown here.`, formats);
}

function playing(kind: 'video' | 'audio', formats: readonly OpenedFormat[], { urls, tracks }: StageOptions): EmbedStage {
  const media = formats.filter(({ item }) => /^(video|audio)\//.test(mimeTypeOf(item.fileExtension)));
  if (media.length === 0) return nothing(`This ${kind} cannot be played yet.`, formats);
  // In the order of the configuration, but first what browsers play, and previews last: the first one is what plays.
  const ranked = media.toSorted((one, other) => rank(one) - rank(other));
  const sources = ranked.map((opened): EmbedSource => {
    const mimeType = mimeTypeOf(opened.item.fileExtension);
    return { formatId: opened.format.id, url: urls.file(opened.format.id), mimeType, label: formatLabel(opened, media) };
  });
  return { kind, sources, tracks };
}

const rank = ({ format, item }: OpenedFormat): number => (isPlayable(item.fileExtension) ? 0 : 2) + (format.usage === 'preview' ? 1 : 0);

function picture(formats: readonly OpenedFormat[], { urls, box }: StageOptions): EmbedStage | null {
  const pictures = formats.filter(({ item }) => isPicture(item.fileExtension));
  const [first] = pictures;
  if (!first) return null;
  const sized = new Map(pictures.flatMap(({ format, item }) => (item.width ? [[item.width, format.id] as const] : [])));
  const srcset = sized.size > 1 ? [...sized].map(([width, id]) => `${urls.file(id)} ${width}w`).join(', ') : '';
  return { kind: 'image', src: urls.file(first.format.id), srcset, sizes: box ? `${box.width}px` : '100vw' };
}

const nothing = (message: string, formats: readonly OpenedFormat[]): EmbedStage => ({
  kind: 'nothing',
  message: formats.some(({ downloadable }) => downloadable) ? `${message} You can download it.` : message,
});
