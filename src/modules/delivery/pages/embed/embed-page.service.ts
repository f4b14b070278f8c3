import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../../shared/config/index.js';
import { viewerLanguages } from '../../../../shared/languages.js';
import { mimeTypeOf } from '../../../../shared/mime-type-of.js';
import { CustomersService } from '../../../accounts/index.js';
import { AcceptedObjectsService } from '../../../media/index.js';
import { playerFormats, streamingFormats } from '../../files/choose-file.js';
import type { OpenedLink } from '../../gate/delivery-gate.service.js';
import { ViewersService } from '../../gate/viewers.service.js';
import { playOfPage } from '../../plays/play-parameter.js';
import { PlayReportsService } from '../../plays/play-reports.service.js';
import { DeliveryUrls, pageUrl } from '../delivery-urls.js';
import { EmbedProgressService } from '../embed-progress.service.js';
import { type PreviewImage, PreviewImagesService } from '../preview/preview-images.service.js';
import { findStoryboard } from '../storyboards.service.js';
import { chooseTrack, DEFAULT_BEHAVIOUR, isForReading, listTracks, type SubtitleSettings, type TextTrack } from '../text-tracks.service.js';
import type { EmbedProgressResponse, EmbedResponse } from './embed-page.dto.js';
import { presentEmbedPage } from './present-embed-page.js';

/** Short, because a picture is fetched immediately. */
const PICTURE_SECONDS = 300;

/** Presents opened links as JSON for clients and as pages for people. */
@Injectable()
export class EmbedPageService {
  constructor(
    private readonly previews: PreviewImagesService,
    private readonly progress: EmbedProgressService,
    private readonly viewers: ViewersService,
    private readonly customers: CustomersService,
    private readonly objects: AcceptedObjectsService,
    private readonly config: Config,
    private readonly plays: PlayReportsService,
  ) {}

  /** The JSON of a link, with absolute addresses. */
  async json(opened: OpenedLink, request: Request): Promise<EmbedResponse> {
    const urls = new DeliveryUrls(this.originOf(opened, request), opened.link.link, this.viewers.tokensOf(opened, request));
    const [preview, state] = await Promise.all([this.previews.find(opened), this.progress.find(opened)]);
    return embedView(opened, { urls, preview, state, languages: languagesOf(request) });
  }

  /** The page of a link, with relative addresses because it may be opened on several hosts. */
  async page(opened: OpenedLink, request: Request): Promise<ReturnType<typeof presentEmbedPage>> {
    const [preview, state, accountName] = await Promise.all([
      this.previews.find(opened),
      this.progress.find(opened),
      this.customers.nameOf(opened.link.customerId),
    ]);
    const tokens = { ...this.viewers.tokensOf(opened, request), play: playOfPage(this.plays.hostOf(opened, request)) };
    const urls = new DeliveryUrls('', opened.link.link, tokens);
    const languages = languagesOf(request);
    const view = embedView(opened, { urls, preview, state, languages });
    const address = pageUrl(this.originOf(opened, request), opened.link.link);
    const oembedUrl = `${this.config.publicUrl}/v5/oembed?${new URLSearchParams({ url: address, format: 'json' })}`;
    return presentEmbedPage(opened, {
      view,
      urls,
      state,
      accountName,
      languages,
      pageUrl: address,
      oembedUrl,
      play: this.plays.issue(opened, request),
    });
  }

  /** The URL of the preview picture of a link, or null. */
  async previewUrl(opened: OpenedLink): Promise<string | null> {
    const preview = await this.previews.find(opened);
    if (!preview?.item) return preview?.url ?? null;
    const { fileName, fileExtension } = preview.item;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(preview.item, { expiresInSeconds: PICTURE_SECONDS, disposition: 'inline', fileName, contentType });
  }

  /** The origin of the addresses: PUBLIC_URL, or the host of the request if the link is delivered only on its own host. */
  private originOf({ policy }: OpenedLink, { context }: Request): string {
    return policy.settings['url.cname'] === null ? this.config.publicUrl : `${new URL(this.config.publicUrl).protocol}//${context.host}`;
  }
}

const languagesOf = ({ headers }: Request): readonly string[] => viewerLanguages(headers['accept-language']);

interface EmbedViewOptions {
  readonly urls: DeliveryUrls;
  readonly preview: PreviewImage | null;
  /** The languages of the viewer, the preferred one first. */
  readonly languages: readonly string[];
  readonly state: EmbedProgressResponse;
}

/** An opened link as JSON for clients with their own player; the page is rendered from the same data. */
function embedView(opened: OpenedLink, { urls, preview, languages, state }: EmbedViewOptions): EmbedResponse {
  const { link, configuration, container } = opened;
  const tracks = listTracks(opened);
  return {
    link: link.link,
    type: link.type,
    mediaContainerId: container.id,
    playerConfigurationId: configuration.id,
    name: container.name,
    width: configuration.width,
    height: configuration.height,
    previewImage: preview && (preview.item ? urls.previewImage() : preview.url),
    subtitle: subtitleView(configuration.settings?.subtitle ?? {}, tracks.filter(isForReading), { urls, languages }),
    tracks: tracks.map(({ mediaId, ...track }) => ({ ...track, url: urls.subtitle(mediaId) })),
    storyboard: findStoryboard(opened.items) && urls.storyboard(),
    hls: streamingFormats(opened).length > 0 ? urls.masterPlaylist() : null,
    progress: state.progress,
    failed: state.failed,
    reason: state.reason,
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

function subtitleView(
  settings: SubtitleSettings,
  tracks: readonly TextTrack[],
  { urls, languages }: Pick<EmbedViewOptions, 'urls' | 'languages'>,
): EmbedResponse['subtitle'] {
  const on = chooseTrack(settings, tracks, languages);
  return {
    behaviour: settings.behaviour ?? DEFAULT_BEHAVIOUR,
    default: settings.default ?? null,
    lang: settings.lang ?? null,
    tracks: tracks.map(({ mediaId, language, label }, index) => ({ url: urls.subtitle(mediaId), lang: language, label, on: index === on })),
  };
}
