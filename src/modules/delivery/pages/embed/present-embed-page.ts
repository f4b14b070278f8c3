import { describeBytes } from '../../describe-bytes.js';
import { playerFormats } from '../../files/choose-format.js';
import type { OpenedFormat, OpenedLink } from '../../gate/delivery-gate.js';
import type { DeliveryUrls } from '../delivery-urls.js';
import type { Outlook } from '../progress/outlook-of.js';
import { boxOf, mediaShape, ratioOf } from './embed-box.js';
import type { EmbedDownload, EmbedPage, EmbedTemplate } from './embed-page-data.js';
import type { EmbedResponse } from './embed-response.dto.js';
import { embedSnippet } from './embed-snippet.js';
import { embedStage } from './embed-stage.js';
import { formatLabel } from './format-label.js';
import { providerOf } from './provider-of.js';

/** Template ids of player configurations (contract section 11); others are shown as the default. */
const PLAIN = 0;
const MINIMAL = 2;

interface PageOptions {
  readonly view: EmbedResponse;
  readonly urls: DeliveryUrls;
  readonly outlook: Outlook;
  readonly accountName: string;
  /** Absolute address of the page, and that of its oEmbed answer. */
  readonly pageUrl: string;
  readonly oembedUrl: string;
}

type Page = Omit<EmbedPage, 'stylesheet' | 'audioStylesheet' | 'progressStylesheet' | 'script' | 'modules'>;

/** An opened link as a page for people. */
export function presentEmbedPage(opened: OpenedLink, { view, urls, outlook, accountName, pageUrl, oembedUrl }: PageOptions): Page {
  const { configuration, link } = opened;
  const shape = mediaShape(opened);
  const box = boxOf(configuration, link.type, shape);
  const { behaviour } = view.subtitle;
  return {
    title: view.name,
    type: link.type,
    template: templateOf(configuration.templateId),
    box,
    shape,
    stage: embedStage(opened, { urls, tracks: behaviour === 0 ? [] : view.subtitle.tracks, box, outlook }),
    previewImage: view.previewImage,
    better: outlook.ready && outlook.progress !== null ? { message: betterOf(link.type), progress: outlook.progress } : null,
    shortfall: outlook.ready && outlook.failed ? shortfallOf(link.type, outlook) : null,
    subtitlesAlwaysOn: behaviour === 3,
    downloads: playerFormats(opened).flatMap((format, _, all) => (format.downloadable ? [downloadOf(format, urls, all)] : [])),
    provider: providerOf(configuration.settings, accountName),
    leaseUrl: urls.lease(),
    progressUrl: urls.progress(),
    renewalUrl: urls.renewal(),
    oembedUrl,
    snippet: embedSnippet({ url: pageUrl, title: view.name, box, ratio: ratioOf(link.type, shape) }),
  };
}

const betterOf = (type: string): string => (type === 'document' ? 'The document is being prepared…' : 'Better quality is being prepared…');

const shortfallOf = (type: string, { reason }: Outlook): string =>
  [`This is only a preview: the ${type} could not be prepared.`, reason ?? ''].join(' ').trim();

const templateOf = (id: number): EmbedTemplate => (id === PLAIN || id === MINIMAL ? 'minimal' : 'default');

function downloadOf(opened: OpenedFormat, urls: DeliveryUrls, among: readonly OpenedFormat[]): EmbedDownload {
  const { format, item } = opened;
  const facts = [item.fileExtension.toUpperCase(), describeBytes(item.fileSize)].filter((fact) => fact !== '').join(', ');
  return { url: urls.file(format.id, { download: true }), label: formatLabel(opened, among), facts };
}
