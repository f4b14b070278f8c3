/** Where the parts of one opened link are found, with what the viewer needs to get in again. */
export class DeliveryUrls {
  /** What every request of this viewer has to carry. */
  private readonly carried: Readonly<Record<string, string>>;

  /**
   * `origin`: '' for addresses within a page. `auth`: the token of another server that came with the request. `admission`: of the viewer, where
   * the link looks at referers (ViewerTokensService).
   */
  constructor(
    private readonly origin: string,
    private readonly link: string,
    { auth, admission }: { auth?: string | undefined; admission?: string | undefined } = {},
  ) {
    this.carried = { ...(auth !== undefined && { auth }), ...(admission !== undefined && { admission }) };
  }

  file(formatId: number, { download = false } = {}): string {
    return this.url(`deliverFile/${this.link}`, { formatId: String(formatId), ...(download && { download: 'true' }) });
  }

  subtitle(mediaId: number): string {
    return this.url(`deliverEmbed/${this.link}/subtitles/${mediaId}.vtt`);
  }

  previewImage(): string {
    return this.url(`deliverEmbed/${this.link}/preview`);
  }

  lease(): string {
    return this.url(`deliverEmbed/${this.link}/lease`);
  }

  progress(): string {
    return this.url(`deliverEmbed/${this.link}/progress`);
  }

  /** The page once more, for its own scripts. */
  renewal(): string {
    return this.url(`deliverEmbed/${this.link}/player`);
  }

  private url(path: string, query: Readonly<Record<string, string>> = {}): string {
    const search = new URLSearchParams({ ...query, ...this.carried }).toString();
    return `${this.origin}/v5/${path}${search === '' ? '' : `?${search}`}`;
  }
}

/** The address of a link's page, without anything that belongs to one viewer. */
export const pageUrl = (origin: string, link: string): string => `${origin}/v5/deliverEmbed/${link}`;
