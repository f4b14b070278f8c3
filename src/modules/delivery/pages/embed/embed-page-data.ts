import type { Box } from './embed-box.js';
import type { Provider } from './provider-of.js';

/** default: with a line of title, choices and provider, which lies over films and images and stands below other media; minimal: the media alone. */
export type EmbedTemplate = 'default' | 'minimal';

export interface EmbedSource {
  readonly formatId: number;
  readonly url: string;
  readonly mimeType: string;
  /** `720p`. */
  readonly label: string;
  /** Pixels; null until known. */
  readonly width: number | null;
  readonly height: number | null;
  /** Bits per second, all in all; null until known. */
  readonly bitrate: number | null;
  readonly isPreview: boolean;
}

export interface EmbedTrack {
  readonly url: string;
  readonly lang: string | null;
  readonly label: string;
  readonly on: boolean;
}

export interface EmbedDownload {
  readonly url: string;
  /** `720p`, or the name of the format. */
  readonly label: string;
  /** `MP4, 12.5 MB`. */
  readonly facts: string;
}

/** What the page shows in its middle. */
export type EmbedStage =
  | {
      readonly kind: 'video' | 'audio';
      readonly sources: readonly EmbedSource[];
      readonly tracks: readonly EmbedTrack[];
      /** What to say if the browser cannot play any of the sources; null: one of them is of a kind that browsers play. */
      readonly reason: string | null;
    }
  | { readonly kind: 'image'; readonly src: string; readonly srcset: string; readonly sizes: string }
  | { readonly kind: 'pdf'; readonly url: string }
  /** Something is being made that can be shown; `progress` in per cent. */
  | { readonly kind: 'preparing'; readonly message: string; readonly progress: number }
  /** There is nothing that a browser could show. */
  | { readonly kind: 'nothing'; readonly message: string };

/** What embed-page.eta shows. Every name comes from people; the template escapes it. */
export interface EmbedPage {
  /** Name of the media. */
  readonly title: string;
  /** video, audio, image or document. */
  readonly type: string;
  readonly template: EmbedTemplate;
  readonly box: Box | null;
  /** Of the film; null: it has no picture, or its size is not known. */
  readonly shape: Box | null;
  readonly stage: EmbedStage;
  readonly previewImage: string | null;
  /** Of what is made while a preview is shown; `progress` in per cent. Null: nothing is, or there is no preview. */
  readonly better: { readonly message: string; readonly progress: number } | null;
  /** That a preview is all there is, and why; null: it is not, or something better is being made. */
  readonly shortfall: string | null;
  /** True: one of the tracks is always on. */
  readonly subtitlesAlwaysOn: boolean;
  readonly downloads: readonly EmbedDownload[];
  readonly provider: Provider;
  readonly leaseUrl: string;
  readonly progressUrl: string;
  /** Where the page's scripts find it once more, when there is something better to show. */
  readonly renewalUrl: string;
  readonly oembedUrl: string;
  /** HTML that embeds the link elsewhere. */
  readonly snippet: string;
  readonly stylesheet: string;
  readonly audioStylesheet: string;
  /** For pages whose media is being made. */
  readonly progressStylesheet: string;
  readonly script: string;
  readonly modules: readonly string[];
}
