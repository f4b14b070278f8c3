/** The addresses of the parts of an opened link, with the tokens that the viewer needs to be admitted again. */
export class DeliveryUrls {
  /** The query parameters of every request of this viewer. */
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

/** The address of the page of a link, without the tokens of a viewer. */
export const pageUrl = (origin: string, link: string): string => `${origin}/v5/deliverEmbed/${link}`;
