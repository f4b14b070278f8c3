import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Step } from '../http/pipeline.js';
import { SharedWork } from '../shared-work.js';
import { readPageFile } from './page-files.js';

interface Asset {
  readonly url: string;
  readonly contentType: string;
  readonly content: Buffer;
  readonly cacheControl: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** A year, the maximum that caches honour; a changed file has another URL. */
const CACHE_FOR_GOOD = 'public, max-age=31536000, immutable';
/** A week, for URLs that stay the same when a new version changes the file. */
const CACHE_FOR_NOW = 'public, max-age=604800';

const require = createRequire(import.meta.url);

/** A file of an installed package, relative to its entry point `entry`. */
export const packageFile = (entry: string, file: string): URL => new URL(file, pathToFileURL(require.resolve(entry)));

const folder = new URL('./assets/', import.meta.url);
const assetsByName = new Map(readdirSync(folder).map((name) => [name, readAsset(name)]));
const assetsByUrl = new Map([...assetsByName.values()].map((asset) => [asset.url, asset]));

function readAsset(name: string): Asset {
  const { name: stem, ext } = path.parse(name);
  const content = readFileSync(new URL(name, folder));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { url: `/assets/${stem}.${hash}${ext}`, contentType: contentTypeOf(name), content, cacheControl: CACHE_FOR_GOOD };
}

function contentTypeOf(name: string): string {
  const contentType = contentTypes[path.extname(name)];
  if (!contentType) throw new Error(`${name}: no content type is known for it; add it in assets.ts`);
  return contentType;
}

/** `site.css` → `/assets/site.<hash of its content>.css`. Throws for a file that is not in `assets/`. */
export function assetUrl(name: string): string {
  const asset = assetsByName.get(name);
  if (!asset) throw new Error(`There is no asset ${name}`);
  return asset.url;
}

/**
 * Publishes files that reference each other by relative URLs (ES modules) in one folder, whose name contains a hash of all of them. `files`:
 * the location of each file, by its path in the folder. `packages`: the path in the folder that replaces a package name in imports,
 * because browsers do not resolve package names. Throws if a file imports one that is not published. Returns the URL of a file by its path.
 */
export function publishAssets(
  name: string,
  { files, packages = {} }: { files: Readonly<Record<string, URL>>; packages?: Readonly<Record<string, string>> },
): (file: string) => string {
  const paths = new Map(Object.entries(files).map(([file, { href }]) => [href, file]));
  const resolve = (wanted: string, source: URL) => (wanted.startsWith('.') ? paths.get(new URL(wanted, source).href) : packages[wanted]);
  const contents = Object.entries(files).map(([file, source]) => {
    return [file, resolveImports(readPageFile(source), file, (wanted) => resolve(wanted, source))] as const;
  });
  const hash = createHash('sha256');
  for (const [file, content] of contents) hash.update(`${file}\n${content.length}\n`).update(content);
  const base = `/assets/${name}.${hash.digest('hex').slice(0, 12)}`;
  for (const [file, content] of contents) {
    const url = `${base}/${file}`;
    assetsByUrl.set(url, { url, contentType: contentTypeOf(file), content, cacheControl: CACHE_FOR_GOOD });
  }
  return (file) => {
    if (!(file in files)) throw new Error(`There is no asset ${name}/${file}`);
    return `${base}/${file}`;
  };
}

/**
 * Publishes the files of a folder under a fixed path by their own names. `hasHashedNames`: a name contains a hash of the content, so that the
 * file never changes. Returns the names.
 */
export function publishFolder(path: string, source: URL, { hasHashedNames = false } = {}): readonly string[] {
  const names = readdirSync(source);
  const cacheControl = hasHashedNames ? CACHE_FOR_GOOD : CACHE_FOR_NOW;
  for (const name of names) {
    const url = `${path}/${name}`;
    const content = readFileSync(new URL(name, source));
    assetsByUrl.set(url, { url, contentType: contentTypeOf(name), content, cacheControl });
  }
  return names;
}

function resolveImports(content: Buffer, file: string, resolve: (wanted: string) => string | undefined): Buffer {
  if (path.extname(file) !== '.js') return content;
  const folder = '../'.repeat(file.split('/').length - 1) || './';
  const resolved = content.toString().replace(/(\bfrom ')([^']+)(')/g, (whole, before: string, wanted: string, after: string) => {
    const target = resolve(wanted);
    if (!target && wanted.startsWith('.')) throw new Error(`${file} imports ${wanted}, which is not published with it`);
    return target ? `${before}${folder}${target}${after}` : whole;
  });
  return Buffer.from(resolved);
}

/** Serves GET and HEAD requests for assets; passes all others to the next step. */
export const serveAssets: Step = (request, response, next) => {
  const asset = assetsByUrl.get(request.url ?? '');
  if (!asset || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
  response.setHeader('content-type', asset.contentType);
  response.setHeader('cache-control', asset.cacheControl);
  const send = (content: Buffer) => response.setHeader('content-length', content.length).end(content);
  if (!isCompressible(asset)) return void send(asset.content);
  response.setHeader('vary', 'accept-encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return void send(asset.content);
  const gzipped = compressed.get(async () => await compress(asset.content, { level: 9 }), asset);
  gzipped.then((content) => {
    response.setHeader('content-encoding', 'gzip');
    send(content);
  }, next);
};

const compress = promisify(gzip);
/** The compressed contents of the assets that clients have requested. */
const compressed = new SharedWork<Buffer, Asset>({ keptMs: Number.POSITIVE_INFINITY });

/** In bytes; a smaller file fits into one packet uncompressed. */
const MIN_COMPRESSED = 1_024;

const isCompressible = ({ contentType, content }: Asset): boolean => contentType !== 'image/png' && content.length >= MIN_COMPRESSED;

/** Whether the client accepts gzip (RFC 9110, section 12.5.3); a weight of 0 means no. */
const acceptsGzip = (accepted: string | string[] | undefined): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(accepted ?? ''));

/** Modules that the scripts of several pages import, for publishAssets. */
export const sharedModules: Readonly<Record<string, URL>> = {
  'poll-while-visible.js': new URL('./browser/poll-while-visible.js', import.meta.url),
};
