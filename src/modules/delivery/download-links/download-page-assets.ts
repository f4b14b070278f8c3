import { publishAssets } from '../../../shared/web/index.js';

const folder = new URL('./browser/', import.meta.url);
const names = ['download-page.css', 'download-page.js'];

const urlOf = publishAssets('download-page', { files: Object.fromEntries(names.map((name) => [name, new URL(name, folder)])) });

/** What the page loads. */
export const downloadPageAssets = { stylesheet: urlOf('download-page.css'), script: urlOf('download-page.js') };
