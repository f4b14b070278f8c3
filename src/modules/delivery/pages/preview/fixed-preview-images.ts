import { publishFolder } from '../../../../shared/web/index.js';

/** Their path at CDN_URL or at our own address. */
const PATH = '/fixedPreviewImages';

/** Drawn by scripts/draw-preview-images.mjs. */
const names = new Set(publishFolder(PATH, new URL('./images/', import.meta.url)));

/** URL of the default picture for files with an extension; `default.png` for an extension without its own picture. */
export function fixedPreviewImage(cdnUrl: string, extension: string): string {
  const name = `${extension.toLowerCase()}.png`;
  return `${cdnUrl}${PATH}/${names.has(name) ? name : 'default.png'}`;
}
