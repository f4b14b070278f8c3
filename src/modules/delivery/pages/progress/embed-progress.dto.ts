/** How far the media of an embed link is. */
export class EmbedProgressResponse {
  /** Whether the link has something to show, if only a preview. @example false */
  ready: boolean;
  /** Per cent of what is waited for: anything to show, or where there is only a preview, better; null: nothing is under way. @example 42 */
  progress: number | null;
  /** What was waited for could not be made. @example false */
  failed: boolean;
  /** Why, as a sentence for viewers; null: it has not failed. @example "The conversion took too long." */
  reason: string | null;
}
