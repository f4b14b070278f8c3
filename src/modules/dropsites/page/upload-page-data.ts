/** What upload-page.eta shows. Every text may come from strangers; the template escapes it. */
export interface UploadPage {
  /** Name of the dropsite. */
  readonly title: string;
  readonly description: string;
  readonly link: string;
  readonly requiresPassword: boolean;
  readonly allowAnonymous: boolean;
  readonly allowedTypes: readonly string[];
  readonly maxItemsPerDay: number | null;
  readonly maxBytesPerDay: number | null;
  /** The same three, and when it expires, in words; empty if there are none. */
  readonly limits: string;
  /** URLs of the page's own style and scripts. */
  readonly stylesheet: string;
  readonly script: string;
  readonly modules: readonly string[];
}
