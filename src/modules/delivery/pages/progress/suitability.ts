import { mimeTypeOf } from '../../../../shared/media-types/index.js';
import { isPicture, isPlayable } from '../../media-kinds.js';

/** A file, or one that is to be made. */
interface Candidate {
  /** Null: as that of the original, whatever it is. */
  readonly extension: string | null;
  /** Null: not known. */
  readonly codec: string | null;
  /** Made to be looked at until something better is there. */
  readonly isPreview: boolean;
}

/** How good a file is to show media of a type with: 2: as it is meant; 1: until there is something better; 0: not at all. */
export function suitability(type: string, { extension, codec, isPreview }: Candidate): 0 | 1 | 2 {
  if (extension === null) return isPreview ? 1 : 2;
  if (type === 'document' && mimeTypeOf(extension) !== 'application/pdf') return isPicture(extension) ? 1 : 0;
  const isShown = type === 'document' || (type === 'image' ? isPicture(extension) : isPlayable(extension, codec));
  if (!isShown) return 0;
  return isPreview ? 1 : 2;
}
