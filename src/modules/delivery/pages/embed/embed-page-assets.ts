import { readdirSync } from 'node:fs';
import { publishAssets } from '../../../../shared/web/index.js';

const folder = new URL('./browser/', import.meta.url);
const names = readdirSync(folder).filter((name) => /^[\w-]+\.(js|css)$/.test(name));

const urlOf = publishAssets('embed-page', { files: Object.fromEntries(names.map((name) => [name, new URL(name, folder)])) });

/** What the page loads. `modules`: all that the script imports, so that the browser fetches them side by side. */
export const embedPageAssets = {
  stylesheet: urlOf('embed-page.css'),
  script: urlOf('embed-page.js'),
  modules: names.filter((name) => name.endsWith('.js') && name !== 'embed-page.js').map(urlOf),
};
