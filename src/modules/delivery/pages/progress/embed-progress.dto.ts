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
