import type { Config } from '../../../shared/config/index.js';
import type { CompiledPolicy } from '../decision/decide-delivery.js';
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

  /** The picture of the link; `width` in pixels. */
  image(width: number): string {
    return this.url(`deliverEmbed/${this.link}/image`, { width: String(width) });
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

  /** Where a page reports what it plays; needs no tokens, because each play has its own. */
  plays(): string {
    return `${this.origin}/v5/deliverEmbed/${this.link}/plays`;
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

/** The origin on which a link works: its own host, if it has one, or PUBLIC_URL. */
export function originOfLink({ settings }: Pick<CompiledPolicy, 'settings'>, { publicUrl }: Pick<Config, 'publicUrl'>): string {
  const cname = settings['url.cname'];
  return cname === null ? publicUrl : `${new URL(publicUrl).protocol}//${cname}`;
}

/** The address of the page of a link, without the tokens of a viewer. */
export const pageUrl = (origin: string, link: string): string => `${origin}/v5/deliverEmbed/${link}`;
