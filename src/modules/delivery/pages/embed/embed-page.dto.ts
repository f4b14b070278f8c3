import type { MediaType, TextTrackRole } from '../../../media/index.js';

/** A format that a link delivers. */
export class EmbedFormatResponse {
  /** @example 7 */
  formatId: number;
  /** Redirects to the file; works for this viewer, for some hours. @example "https://media.example.org/v5/deliverFile/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11?formatId=7" */
  url: string;
  /** Whether `&download=true` is allowed. @example true */
  downloadable: boolean;
  /** @example "video/mp4" */
  mimeType: string;
  /** Pixels; null until known. @example 1280 */
  width: number | null;
  /** Pixels; null until known. @example 720 */
  height: number | null;
}

/** Subtitles or captions that a player can show. */
export class SubtitleTrackResponse {
  /** WebVTT. @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11/subtitles/31.vtt" */
  url: string;
  /** BCP 47; null: unknown. @example "de" */
  lang: string | null;
  /** @example "Deutsch" */
  label: string;
  /** Whether it is on when the player opens, for this viewer. @example true */
  on: boolean;
}

/** The subtitles and captions among the tracks, in their order, and how they behave. */
export class EmbedSubtitleResponse {
  /** 0: off, 1: the track in `lang` is on, 2: the viewer's language is on, 3: always on, 4: hidden until chosen. @example 2 */
  behaviour: number;
  /** Index of the preferred track, or null. @example 0 */
  default: number | null;
  /** ISO 639-2. @example "ger" */
  lang: string | null;
  tracks: SubtitleTrackResponse[];
}

/** A text track of the media. */
export class EmbedTrackResponse {
  /** @example "subtitles" */
  role: TextTrackRole;
  /** BCP 47; null: unknown. @example "de" */
  language: string | null;
  /** @example "Deutsch" */
  label: string;
  /** Whether players choose it before others of its kind. @example true */
  default: boolean;
  /** WebVTT; works for this viewer, on pages of every origin. @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11/subtitles/31.vtt" */
  url: string;
}

/** The content of an embed link. */
export class EmbedResponse {
  /** @example "8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11" */
  link: string;
  /** @example "video" */
  type: MediaType;
  /** @example 7 */
  mediaContainerId: number;
  /** @example 3 */
  playerConfigurationId: number;
  /** Name of the media container. @example "Interview" */
  name: string;
  /** Pixels; null: the player is responsive. @example null */
  width: number | null;
  /** Pixels; null: the player is responsive. @example null */
  height: number | null;
  /** URL of the preview picture, or null. @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11/preview" */
  previewImage: string | null;
  subtitle: EmbedSubtitleResponse;
  /** The text tracks of the media container. */
  tracks: EmbedTrackResponse[];
  /**
   * WebVTT that maps times of a film to pictures, each a part of one picture (`#xywh=`); null: the media has no storyboard.
   * @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11/storyboard.vtt"
   */
  storyboard: string | null;
  /**
   * The master playlist for players with adaptive streaming; null: no streaming rendition.
   * @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11/master.m3u8"
   */
  hls: string | null;
  /** Progress of the conversion in percent, while nothing or only a preview can be shown; null: no conversion is in progress. @example null */
  progress: number | null;
  /** Whether the conversion failed, so that nothing or only the preview can be shown. @example false */
  failed: boolean;
  /** The reason, as a sentence for viewers; null: nothing has failed. @example "The conversion took too long." */
  reason: string | null;
  /** The formats of the configuration that players use and that have a file, in its order. */
  formats: EmbedFormatResponse[];
}

/** The state of the media of an embed link. */
export class EmbedProgressResponse {
  /** Whether the link can show the media or at least a preview. @example false */
  ready: boolean;
  /** Progress in percent of the first file that can be shown or, while only a preview exists, of a better one; null: no conversion is in progress. @example 42 */
  progress: number | null;
  /** Whether making that file failed. @example false */
  failed: boolean;
  /** The reason, as a sentence for viewers; null: nothing has failed. @example "The conversion took too long." */
  reason: string | null;
}
