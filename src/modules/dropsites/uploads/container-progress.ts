import type { FormatProgress } from '../../converter/index.js';

/** How far what is made of an uploaded file is. */
export interface ContainerProgress {
  /** failed: nothing could be made of it; the file itself is safe. */
  readonly status: 'running' | 'successful' | 'failed';
  /** Per cent. */
  readonly progress: number;
}

/** Of the previews of a file, or where none are made, of all that is made of it, taken together. Null: nothing is made. */
export function containerProgress(formats: readonly FormatProgress[]): ContainerProgress | null {
  const previews = formats.filter(({ isPreview }) => isPreview);
  const counted = previews.length > 0 ? previews : formats;
  if (counted.length === 0) return null;
  if (!counted.some(({ status }) => status === 'running')) {
    return counted.some(({ status }) => status === 'successful')
      ? { status: 'successful', progress: 100 }
      : { status: 'failed', progress: 0 };
  }
  const sum = counted.reduce((total, { status, progress }) => total + (status === 'running' ? progress : 100), 0);
  return { status: 'running', progress: Math.floor(sum / counted.length) };
}
