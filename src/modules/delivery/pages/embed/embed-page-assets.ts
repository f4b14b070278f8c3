import { readdirSync } from 'node:fs';
import { publishAssets, sharedModules } from '../../../../shared/web/index.js';

const folder = new URL('./browser/', import.meta.url);
const names = readdirSync(folder).filter((name) => /^[\w-]+\.(js|css)$/.test(name));
const files = { ...Object.fromEntries(names.map((name) => [name, new URL(name, folder)])), ...sharedModules };

const urlOf = publishAssets('embed-page', { files });

/** What the page loads. `modules`: all that the script imports, so that the browser fetches them side by side. */
export const embedPageAssets = {
  stylesheet: urlOf('embed-page.css'),
  audioStylesheet: urlOf('embed-audio.css'),
  progressStylesheet: urlOf('embed-progress.css'),
  script: urlOf('embed-page.js'),
  signInScript: urlOf('sign-in.js'),
  modules: Object.keys(files)
    .filter((name) => name.endsWith('.js') && name !== 'embed-page.js' && name !== 'sign-in.js')
    .map(urlOf),
};
