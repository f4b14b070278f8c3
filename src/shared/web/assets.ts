import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from '../http/pipeline.js';

interface Asset {
  readonly url: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A year, the longest that caches honour; a changed file has another URL. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

const folder = new URL('./assets/', import.meta.url);
const assetsByName = new Map(readdirSync(folder).map((name) => [name, readAsset(name)]));
const assetsByUrl = new Map([...assetsByName.values()].map((asset) => [asset.url, asset]));

function readAsset(name: string): Asset {
  const { name: stem, ext } = path.parse(name);
  const contentType = contentTypes[ext];
  if (!contentType) throw new Error(`${name}: no content type is known for ${ext}; add it in assets.ts`);
  const content = readFileSync(new URL(name, folder));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { url: `/assets/${stem}.${hash}${ext}`, contentType, content };
}

/** `site.css` → `/assets/site.<hash of its content>.css`. Throws for a file that is not in `assets/`. */
export function assetUrl(name: string): string {
  const asset = assetsByName.get(name);
  if (!asset) throw new Error(`There is no asset ${name}`);
  return asset.url;
}

/** Answers GET and HEAD of the files in `assets/`; everything else goes on to the next step. */
export const serveAssets: Step = (request, response, next) => {
  const asset = assetsByUrl.get(request.url ?? '');
  if (!asset || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
  response.setHeader('content-type', asset.contentType);
  response.setHeader('content-length', asset.content.length);
  response.setHeader('cache-control', CACHE_CONTROL);
  response.end(asset.content);
};
