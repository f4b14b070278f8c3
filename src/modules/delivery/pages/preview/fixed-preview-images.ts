import { publishFolder } from '../../../../shared/web/index.js';

/** Where they are, at CDN_URL or at our own address. */
const PATH = '/fixedPreviewImages';

/** Drawn by scripts/draw-preview-images.mjs. */
const names = new Set(publishFolder(PATH, new URL('./images/', import.meta.url)));

/** URL of the picture that stands for files of an extension; of one without a picture of its own: `default.png`. */
export function fixedPreviewImage(cdnUrl: string, extension: string): string {
  const name = `${extension.toLowerCase()}.png`;
  return `${cdnUrl}${PATH}/${names.has(name) ? name : 'default.png'}`;
}
