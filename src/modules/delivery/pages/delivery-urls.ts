import type { ViewerTokens } from '../gate/viewers.service.js';

/** The addresses of the parts of an opened link, with the tokens that the viewer needs to be admitted again. */
export class DeliveryUrls {
  /** `origin`: '' for addresses within a page. */
  constructor(
    private readonly origin: string,
    private readonly link: string,
    private readonly tokens: ViewerTokens = {},
  ) {}

  file(formatId: number, { download = false } = {}): string {
    return this.url(`deliverFile/${this.link}`, { formatId: String(formatId), ...(download && { download: 'true' }) });
  }

  subtitle(mediaId: number): string {
    return this.url(`deliverEmbed/${this.link}/subtitles/${mediaId}.vtt`);
  }

  storyboard(): string {
    return this.url(`deliverEmbed/${this.link}/storyboard.vtt`);
  }

  previewImage(): string {
    return this.url(`deliverEmbed/${this.link}/preview`);
  }

  masterPlaylist(): string {
    return this.url(`deliverEmbed/${this.link}/master.m3u8`);
  }

  lease(): string {
    return this.url(`deliverEmbed/${this.link}/lease`);
  }

  progress(): string {
    return this.url(`deliverEmbed/${this.link}/progress`);
  }

  /** The address at which the page's own scripts load it again. */
  renewal(): string {
    return this.url(`deliverEmbed/${this.link}/player`);
  }

  private url(path: string, query: Readonly<Record<string, string>> = {}): string {
    const search = new URLSearchParams({ ...query, ...this.tokens }).toString();
    return `${this.origin}/v5/${path}${search === '' ? '' : `?${search}`}`;
  }
}

/** The address of the page of a link, without the tokens of a viewer. */
export const pageUrl = (origin: string, link: string): string => `${origin}/v5/deliverEmbed/${link}`;
