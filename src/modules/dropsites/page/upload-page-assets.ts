import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { publishAssets, sharedModules } from '../../../shared/web/index.js';

const folder = new URL('./browser/', import.meta.url);
const require = createRequire(import.meta.url);

/** A file of a package, next to its entry point. */
const packageFile = (entry: string, file: string): URL => new URL(file, pathToFileURL(require.resolve(entry)));

const NOBLE = ['sha2.js', '_md.js', '_u64.js', 'utils.js'];
const WORKER = 'checksum-worker.js';

const ours = readdirSync(folder).filter((name) => /^[\w-]+\.(js|css)$/.test(name));
const files = {
  ...Object.fromEntries(ours.map((name) => [name, new URL(name, folder)])),
  'vendor/aws4fetch.js': packageFile('aws4fetch', './aws4fetch.esm.mjs'),
  ...sharedModules,
  ...Object.fromEntries(NOBLE.map((name) => [`vendor/noble/${name}`, packageFile('@noble/hashes/sha2.js', `./${name}`)])),
};

/** The URL of a file of the page's browser code. */
const urlOf = publishAssets('upload-page', {
  files,
  packages: { aws4fetch: 'vendor/aws4fetch.js', '@noble/hashes/sha2.js': 'vendor/noble/sha2.js' },
});

/** The files that the page loads. `modules`: everything that the script imports, so that the browser fetches them in parallel. */
export const uploadPageAssets = {
  script: urlOf('upload-page.js'),
  stylesheet: urlOf('upload-page.css'),
  modules: [...ours.filter((name) => name.endsWith('.js') && name !== WORKER), ...Object.keys(sharedModules), 'vendor/aws4fetch.js'].map(
    urlOf,
  ),
};
