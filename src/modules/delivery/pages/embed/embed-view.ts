import { mimeTypeOf } from '../../../../shared/media-types/index.js';
import { playerFormats } from '../../files/choose-format.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';
import type { DeliveryUrls } from '../delivery-urls.js';
import type { PreviewImage } from '../preview/preview-images.js';
import type { Outlook } from '../progress/outlook-of.js';
import { chooseTrack, DEFAULT_BEHAVIOUR } from '../subtitles/choose-track.js';
import { subtitleTracks } from '../subtitles/subtitle-tracks.js';
import type { EmbedResponse } from './embed-response.dto.js';

interface EmbedViewOptions {
  readonly urls: DeliveryUrls;
  readonly preview: PreviewImage | null;
  /** Of the viewer, the preferred one first. */
  readonly languages: readonly string[];
  readonly outlook: Outlook;
}

/** An opened link as clients with players of their own see it; the page is made of the same. */
export function embedView(opened: OpenedLink, { urls, preview, languages, outlook }: EmbedViewOptions): EmbedResponse {
  const { link, configuration, container } = opened;
  return {
    link: link.link,
    type: link.type,
    mediaContainerId: container.id,
    playerConfigurationId: configuration.id,
    name: container.name,
    width: configuration.width,
    height: configuration.height,
    previewImage: preview && (preview.item ? urls.previewImage() : preview.url),
    subtitle: subtitleView(opened, urls, languages),
    progress: outlook.progress,
    failed: outlook.failed,
    reason: outlook.reason,
    formats: playerFormats(opened).map(({ format, item, downloadable }) => ({
      formatId: format.id,
      url: urls.file(format.id),
      downloadable,
      mimeType: mimeTypeOf(item.fileExtension),
      width: item.width,
      height: item.height,
    })),
  };
}

function subtitleView({ configuration, items }: OpenedLink, urls: DeliveryUrls, languages: readonly string[]): EmbedResponse['subtitle'] {
  const settings = configuration.settings?.subtitle ?? {};
  const tracks = subtitleTracks(items);
  const on = chooseTrack(
    settings,
    tracks.map(({ language }) => language),
    languages,
  );
  return {
    behaviour: settings.behaviour ?? DEFAULT_BEHAVIOUR,
    default: settings.default ?? null,
    lang: settings.lang ?? null,
    tracks: tracks.map(({ mediaId, language, label }, index) => ({ url: urls.subtitle(mediaId), lang: language, label, on: index === on })),
  };
}
