import { playerFormats } from '../../files/choose-format.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';
import { isPicture } from '../../media-kinds.js';
import type { DeliveryUrls } from '../delivery-urls.js';
import { AUDIO_HEIGHT, type Box, boxOf, fitInto, mediaShape, ratioOf } from '../embed/embed-box.js';
import { embedSnippet } from '../embed/embed-snippet.js';
import type { Provider } from '../embed/provider-of.js';
import type { PreviewImage } from '../preview/preview-images.js';
import type { OembedResponse } from './oembed-response.dto.js';

/** The longer side that is proposed for a responsive player, in pixels. */
const PROPOSED_SIDE = 640;
/** The size of the preview images that the service ships. */
const FIXED_PREVIEW = { width: 640, height: 360 };

interface OembedOptions {
  readonly urls: DeliveryUrls;
  readonly pageUrl: string;
  readonly preview: PreviewImage | null;
  readonly provider: Provider;
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/** An opened link as oEmbed describes it. */
export function presentOembed(opened: OpenedLink, options: OembedOptions): OembedResponse {
  const { provider } = options;
  return {
    version: '1.0',
    title: opened.container.name,
    provider_name: provider.name,
    ...(provider.url !== null && { provider_url: provider.url }),
    ...(photo(opened, options) ?? player(opened, options)),
    ...thumbnail(options),
  };
}

/** An image whose size is known, in the largest of its formats that is allowed. */
function photo(
  { link, ...opened }: OpenedLink,
  { urls, maxWidth = Number.POSITIVE_INFINITY, maxHeight = Number.POSITIVE_INFINITY }: OembedOptions,
) {
  if (link.type !== 'image') return null;
  const fitting = playerFormats(opened).flatMap(({ format, item: { fileExtension, width, height } }) =>
    isPicture(fileExtension) && width && height && width <= maxWidth && height <= maxHeight ? [{ id: format.id, width, height }] : [],
  );
  const [largest] = fitting.toSorted((one, other) => other.width - one.width);
  return largest ? { type: 'photo' as const, url: urls.file(largest.id), width: largest.width, height: largest.height } : null;
}

function player(opened: OpenedLink, { pageUrl, maxWidth, maxHeight }: OembedOptions) {
  const { link, configuration, container } = opened;
  const shape = mediaShape(opened);
  const fixed = boxOf(configuration, link.type, shape);
  const ratio = ratioOf(link.type, shape);
  const proposed = ratio === null ? { width: PROPOSED_SIDE, height: AUDIO_HEIGHT } : proposedBox(ratio);
  const box = fixed && fitInto(fixed, { maxWidth, maxHeight });
  const html = embedSnippet({ url: pageUrl, title: container.name, box, ratio, maxWidth, maxHeight });
  return {
    type: link.type === 'video' ? ('video' as const) : ('rich' as const),
    html,
    ...(box ?? fitInto(proposed, { maxWidth, maxHeight })),
  };
}

function proposedBox(ratio: number): Box {
  if (ratio < 1) return { width: Math.max(1, Math.round(PROPOSED_SIDE * ratio)), height: PROPOSED_SIDE };
  return { width: PROPOSED_SIDE, height: Math.max(1, Math.round(PROPOSED_SIDE / ratio)) };
}

/** Consumers have to know its size. */
function thumbnail({ preview, urls, maxWidth, maxHeight }: OembedOptions) {
  const size = preview?.item ?? (preview && FIXED_PREVIEW);
  if (!size?.width || !size.height) return {};
  const shown = fitInto({ width: size.width, height: size.height }, { maxWidth, maxHeight });
  const url = preview?.item ? urls.previewImage() : preview?.url;
  return { thumbnail_url: url, thumbnail_width: shown.width, thumbnail_height: shown.height };
}
