/** What download-page.eta shows. Names come from the uploader; the template escapes them. */
export interface DownloadPage {
  readonly title: string;
  /** `3 files, 12.5 MB`. */
  readonly summary: string;
  /** Empty: it is there for good. */
  readonly until: string;
  readonly containers: readonly DownloadPageContainer[];
  /** How many files can be downloaded now. */
  readonly count: number;
  readonly stylesheet: string;
  readonly script: string;
}

interface DownloadPageContainer {
  readonly name: string;
  /** A preview of it, or the picture that stands for its kind of file. */
  readonly picture: string;
  readonly files: readonly DownloadPageFile[];
}

interface DownloadPageFile {
  /** Of the file with its extension; null: it has not been made. */
  readonly name: string | null;
  /** Of a file that has not been made: what became of it. */
  readonly state: { readonly text: string; readonly isFailed: boolean } | null;
  readonly format: string;
  /** `MP4, 1920 × 1080, 12.5 MB`. */
  readonly facts: string;
  readonly url: string;
}
