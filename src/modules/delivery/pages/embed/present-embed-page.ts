import { parseUrl } from '../../../../shared/validation/index.js';
import { describeBytes } from '../../../../shared/web/index.js';
import type { PlayerSettings } from '../../../player-configurations/index.js';
import { playerFormats, soundsOf } from '../../files/choose-file.js';
import type { OpenedFormat, OpenedLink } from '../../gate/delivery-gate.service.js';
import { DeliveryUrls } from '../delivery-urls.js';
import { chooseTrack, isForReading } from '../text-tracks.service.js';
import type { EmbedProgressResponse, EmbedResponse } from './embed-page.dto.js';
import type { embedPageAssets } from './embed-page-assets.js';
import { type Box, boxOf, embedSnippet, mediaShape } from './embed-snippet.js';
import { type EmbedStage, type EmbedTrack, embedStage, formatLabel } from './embed-stage.js';

/** default: with a bar for title, choices and provider, over films and images and below other media; minimal: only the media. */
type EmbedTemplate = 'default' | 'minimal';

interface EmbedDownload {
  readonly url: string;
  /** `720p`, or the name of the format. */
  readonly label: string;
  /** `MP4, 12.5 MB`. */
  readonly facts: string;
}

/** The data of embed-page.eta. Names are entered by users; the template escapes them. */
export interface EmbedPage {
  /** Name of the media. */
  readonly title: string;
  /** video, audio, image or document. */
  readonly type: string;
  readonly template: EmbedTemplate;
  /** Whether films have the controls of media-chrome instead of the browser's own. */
  readonly hasControls: boolean;
  readonly box: Box | null;
  /** The size of the film; null: it has no picture, or its size is not known. */
  readonly shape: Box | null;
  readonly stage: EmbedStage;
  /** The subtitles and captions among the tracks, from which the viewer chooses. */
  readonly captions: readonly EmbedTrack[];
  /** Whether the viewer chooses between several sounds. */
  readonly hasSounds: boolean;
  /** Whether one of the tracks has chapters. */
  readonly hasChapters: boolean;
  /** WebVTT with pictures of the film by time (`#xywh=`); null: none have been made. */
  readonly storyboard: string | null;
  readonly previewImage: string | null;
  /** A better file that is made while a preview is shown; `progress` in per cent. Null: nothing is being made, or there is no preview. */
  readonly better: { readonly message: string; readonly progress: number } | null;
  /** Why only a preview can be shown; null: there is more than a preview, or something better is being made. */
  readonly shortfall: string | null;
  /** True: one of the tracks is always on. */
  readonly subtitlesAlwaysOn: boolean;
  readonly downloads: readonly EmbedDownload[];
  readonly provider: Provider;
  readonly leaseUrl: string;
  /** Where the page reports what it plays, and the token of its play. */
  readonly playsUrl: string;
  readonly play: string;
  readonly progressUrl: string;
  /** The address at which the page's scripts load the page again when there is something better to show. */
  readonly renewalUrl: string;
  readonly oembedUrl: string;
  /** HTML that embeds the link elsewhere. */
  readonly snippet: string;
  readonly stylesheet: string;
  readonly audioStylesheet: string;
  /** For films with the controls of media-chrome. */
  readonly controlsStylesheet: string;
  /** For pages whose media is being made. */
  readonly progressStylesheet: string;
  readonly script: string;
  readonly modules: readonly string[];
  /** The elements of media-chrome. */
  readonly controlsScript: string;
  /** The modules that play streams, and those that play streams of several sounds. */
  readonly streamModules: readonly string[];
  readonly soundsModules: readonly string[];
}

/** Template ids of player configurations (contract section 11); others are shown as the default. */
const PLAIN = 0;
const MINIMAL = 2;

interface PageOptions {
  readonly view: EmbedResponse;
  readonly urls: DeliveryUrls;
  readonly state: EmbedProgressResponse;
  readonly accountName: string;
  /** The languages of the viewer, the preferred one first. */
  readonly languages: readonly string[];
  /** The absolute addresses of the page and of its oEmbed response. */
  readonly pageUrl: string;
  readonly oembedUrl: string;
  /** The token of its play. */
  readonly play: string;
}

type Page = Omit<EmbedPage, keyof typeof embedPageAssets>;

/** Presents an opened link as a page for people. */
export function presentEmbedPage(
  opened: OpenedLink,
  { view, urls, state, accountName, languages, pageUrl, oembedUrl, play }: PageOptions,
): Page {
  const { configuration, link } = opened;
  const shape = mediaShape(opened);
  const box = boxOf(configuration, link.type, shape);
  const { behaviour } = view.subtitle;
  const tracks = tracksOf(view, languages);
  const template = templateOf(configuration.templateId);
  return {
    title: view.name,
    type: link.type,
    template,
    hasControls: link.type === 'video' && template === 'default',
    box,
    shape,
    stage: embedStage(opened, { urls, hls: view.hls, tracks, box, state }),
    captions: tracks.filter(isCaption),
    hasSounds: soundsOf(opened).length > 1,
    hasChapters: tracks.some(({ kind }) => kind === 'chapters'),
    storyboard: view.storyboard,
    previewImage: view.previewImage,
    better: state.ready && state.progress !== null ? { message: betterOf(link.type), progress: state.progress } : null,
    shortfall: state.ready && state.failed ? shortfallOf(link.type, state) : null,
    subtitlesAlwaysOn: behaviour === 3,
    downloads: playerFormats(opened).flatMap((format, _, all) => (format.downloadable ? [downloadOf(format, urls, all)] : [])),
    provider: providerOf(configuration.settings, accountName),
    leaseUrl: urls.lease(),
    playsUrl: urls.plays(),
    play,
    progressUrl: urls.progress(),
    renewalUrl: urls.renewal(),
    oembedUrl,
    snippet: embedSnippet(opened, { urls: new DeliveryUrls(new URL(pageUrl).origin, link.link), pageUrl }),
  };
}

const isCaption = ({ kind }: EmbedTrack): boolean => kind === 'subtitles' || kind === 'captions';

/** The text tracks of the page: subtitles and captions, from which the viewer chooses unless they are off, and one track of each other kind. */
function tracksOf({ tracks, subtitle }: EmbedResponse, languages: readonly string[]): EmbedTrack[] {
  const chosen = [...new Set(tracks.map(({ role }) => role))].flatMap((wanted) => {
    const ofRole = tracks.filter(({ role }) => role === wanted);
    if (ofRole.some(isForReading)) return subtitle.behaviour === SUBTITLES_OFF ? [] : ofRole;
    const index = chooseTrack({ behaviour: IN_VIEWERS_LANGUAGE }, ofRole, languages) ?? chooseTrack({}, ofRole, languages) ?? 0;
    return ofRole.slice(index, index + 1);
  });
  const shown = new Set(chosen);
  const on = new Set(subtitle.tracks.flatMap((track) => (track.on ? [track.url] : [])));
  return tracks
    .filter((track) => shown.has(track))
    .map(({ role: kind, url, language: lang, label }) => ({ kind, url, lang, label, on: kind === 'chapters' || on.has(url) }));
}

const SUBTITLES_OFF = 0;
const IN_VIEWERS_LANGUAGE = 2;

const betterOf = (type: string): string => (type === 'document' ? 'The document is being prepared…' : 'Better quality is being prepared…');

const shortfallOf = (type: string, { reason }: EmbedProgressResponse): string =>
  [`This is only a preview: the ${type} could not be prepared.`, reason ?? ''].join(' ').trim();

const templateOf = (id: number): EmbedTemplate => (id === PLAIN || id === MINIMAL ? 'minimal' : 'default');

function downloadOf(opened: OpenedFormat, urls: DeliveryUrls, among: readonly OpenedFormat[]): EmbedDownload {
  const { format, item } = opened;
  const facts = [item.fileExtension.toUpperCase(), describeBytes(item.fileSize)].filter((fact) => fact !== '').join(', ');
  return { url: urls.file(format.id, { download: true }), label: formatLabel(opened, among), facts };
}

/** The provider of the media. */
export interface Provider {
  readonly name: string;
  readonly url: string | null;
}

/** The provider that the configuration names, in the current or the deprecated member; otherwise the customer. */
export function providerOf(settings: PlayerSettings | null, accountName: string): Provider {
  const { providerName, providerUrl, customer } = settings ?? {};
  return { name: providerName || customer?.name || accountName, url: webAddress(providerUrl || customer?.url || '') };
}

/** Reads a web address. A host without a scheme gets https; null: the text is not a web address. */
function webAddress(text: string): string | null {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  return text !== '' && !/\s/.test(text) ? (parseUrl(address)?.href ?? null) : null;
}
