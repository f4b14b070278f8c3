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
  /** The same three in words; empty without limits. */
  readonly limits: string;
  /** When it expires, as ISO 8601 and in words in UTC; null: never. */
  readonly closing: { readonly at: string; readonly text: string } | null;
  /** URLs of the page's own style and scripts. */
  readonly stylesheet: string;
  readonly script: string;
  readonly modules: readonly string[];
}
