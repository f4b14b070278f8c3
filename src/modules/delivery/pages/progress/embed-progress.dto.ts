/** The state of the media of an embed link. */
export class EmbedProgressResponse {
  /** Whether the link can show something, be it only a preview. @example false */
  ready: boolean;
  /** Progress in per cent of the first file that can be shown or, while there is only a preview, of a better one; null: nothing is being made. @example 42 */
  progress: number | null;
  /** Whether that file could not be made. @example false */
  failed: boolean;
  /** The reason, as a sentence for viewers; null: nothing has failed. @example "The conversion took too long." */
  reason: string | null;
}
