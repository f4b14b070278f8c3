import { mimeTypeOf } from '../../../../shared/mime-type-of.js';
import type { TextTrackRole } from '../../../media/index.js';
import { isPicture, isPlayable, playedTypeOf, playerFormats } from '../../files/choose-file.js';
import type { OpenedFormat, OpenedLink } from '../../gate/delivery-gate.service.js';
import type { DeliveryUrls } from '../delivery-urls.js';
import type { EmbedProgressResponse } from './embed-page.dto.js';
import { type Box, sizedPicture } from './embed-snippet.js';

interface EmbedSource {
  readonly formatId: number;
  readonly url: string;
  readonly mimeType: string;
  /** Pixels; null until known. */
  readonly width: number | null;
  readonly height: number | null;
  readonly isPreview: boolean;
}

/** A text track of the media. */
export interface EmbedTrack {
  readonly kind: TextTrackRole;
  readonly url: string;
  /** BCP 47; null: unknown. */
  readonly lang: string | null;
  readonly label: string;
  /** Whether it is on when the player opens. */
  readonly on: boolean;
}

/** The main content of the page. */
export type EmbedStage =
  | {
      readonly kind: 'video' | 'audio';
      /** URL of the stream, which browsers play instead of the sources if they can; null: only files exist. */
      readonly hls: string | null;
      readonly sources: readonly EmbedSource[];
      readonly tracks: readonly EmbedTrack[];
      /** The message if the browser cannot play any of the sources; null: browsers in general play one of them. */
      readonly reason: string | null;
    }
  /** `reason`: the message if the browser cannot show the file, which is shown for its extension. */
  | { readonly kind: 'image'; readonly src: string; readonly srcset: string; readonly sizes: string; readonly reason: string }
  | { readonly kind: 'pdf'; readonly url: string }
  /** Media that can be shown is being made; `progress` in per cent. */
  | { readonly kind: 'preparing'; readonly message: string; readonly progress: number }
  /** Browsers cannot show any of the files. */
  | { readonly kind: 'nothing'; readonly message: string };

interface StageOptions {
  readonly urls: DeliveryUrls;
  readonly hls: string | null;
  readonly tracks: readonly EmbedTrack[];
  readonly box: Box | null;
  readonly state: EmbedProgressResponse;
}

/** Chooses what the page of a link shows. */
export function embedStage(opened: OpenedLink, options: StageOptions): EmbedStage {
  const { type } = opened.link;
  const { ready, progress } = options.state;
  const formats = playerFormats(opened);
  if (!ready && progress !== null) return { kind: 'preparing', message: `This ${type} is being prepared…`, progress };
  const failure = failureOf(type, options.state);
  if (type === 'video' || type === 'audio') return playing(type, formats, options) ?? nothing(failure ?? unplayable(type), formats);
  const pdf = formats.find(({ item }) => mimeTypeOf(item.fileExtension) === 'application/pdf');
  if (type === 'document' && pdf) return { kind: 'pdf', url: options.urls.file(pdf.format.id) };
  const otherwise = nothing(failure ?? `This ${type} cannot be shown here.`, formats);
  return picture(opened, formats, { ...options, reason: otherwise.message }) ?? otherwise;
}

/** The message for media that could not be prepared; null: nothing has failed. */
export const failureOf = (type: string, { failed, reason }: EmbedProgressResponse): string | null =>
  failed ? [`This ${type} could not be prepared.`, reason ?? ''].join(' ').trim() : null;

const unplayable = (type: string): string => `No version of this ${type} that browsers can play has been made.`;

function playing(kind: 'video' | 'audio', formats: readonly OpenedFormat[], { urls, hls, tracks, state }: StageOptions): EmbedStage | null {
  const media = formats.filter(({ item }) => /^(video|audio)\//.test(mimeTypeOf(item.fileExtension)));
  if (media.length === 0) return null;
  // Without scripts, browsers play the first source: playable ones come first, previews last, otherwise in the configured order.
  const ranked = media.toSorted((one, other) => rank(one) - rank(other));
  const reason = state.ready ? null : (failureOf(kind, state) ?? unplayable(kind));
  return { kind, hls, sources: ranked.map((opened) => sourceOf(opened, urls)), tracks, reason };
}

function sourceOf(opened: OpenedFormat, urls: DeliveryUrls): EmbedSource {
  const { format, item } = opened;
  const mimeType = playedTypeOf(item.fileExtension, item.codec);
  return { formatId: format.id, url: urls.file(format.id), mimeType, width: item.width, height: item.height, isPreview: isPreview(opened) };
}

const rank = (opened: OpenedFormat): number =>
  (isPlayable(opened.item.fileExtension, opened.item.codec) ? 0 : 2) + (isPreview(opened) ? 1 : 0);

const isPreview = ({ format }: OpenedFormat): boolean => format.usage === 'preview';

/** A picture in the size that fits; one whose size is unknown in the first format that browsers show. */
function picture(
  opened: OpenedLink,
  formats: readonly OpenedFormat[],
  { urls, box, reason }: StageOptions & { readonly reason: string },
): EmbedStage | null {
  const sizes = box ? `${box.width}px` : '100vw';
  const sized = opened.link.type === 'image' ? sizedPicture(opened, urls) : null;
  if (sized) return { kind: 'image', src: sized.src, srcset: sized.srcset, sizes, reason };
  const pictures = formats.filter(({ item }) => isPicture(item.fileExtension));
  const first = pictures.find((opened) => !isPreview(opened)) ?? pictures[0];
  return first ? { kind: 'image', src: urls.file(first.format.id), srcset: '', sizes, reason } : null;
}

const nothing = (message: string, formats: readonly OpenedFormat[]): Extract<EmbedStage, { kind: 'nothing' }> => ({
  kind: 'nothing',
  message: formats.some(({ downloadable }) => downloadable) ? `${message} You can download it.` : message,
});

/** The label of a format for viewers: its shorter side (`720p`), and its name if that is unknown or not unique. */
export function formatLabel(opened: OpenedFormat, among: readonly OpenedFormat[]): string {
  const label = shortLabel(opened);
  const isAlone = among.filter((other) => shortLabel(other) === label).length <= 1;
  return isAlone || label === opened.format.name ? label : `${label} (${opened.format.name})`;
}

const shortLabel = ({ format, item }: OpenedFormat): string => {
  if (format.usage === 'preview') return 'Preview';
  return item.height === null ? format.name : `${Math.min(item.height, item.width ?? item.height)}p`;
};
