/** How to show an embed link in a page (oembed.com, version 1.0). */
export class OembedResponse {
  /** @example "1.0" */
  version: '1.0';
  /** @example "video" */
  type: 'video' | 'photo' | 'rich';
  /** @example "Interview" */
  title: string;
  /** @example "Example Media" */
  provider_name: string;
  /** @example "https://www.example.org/" */
  provider_url?: string;
  /** Pixels; of a responsive player a proposal. @example 640 */
  width: number;
  /** Pixels; of a responsive player a proposal. @example 360 */
  height: number;
  /** Of a photo: the image. */
  url?: string;
  /** The player: put it into the page. @example "<iframe src=…></iframe>" */
  html?: string;
  /** The preview image. @example "https://media.example.org/fixedPreviewImages/mp4.png" */
  thumbnail_url?: string;
  /** Pixels. @example 640 */
  thumbnail_width?: number;
  /** Pixels. @example 360 */
  thumbnail_height?: number;
}
