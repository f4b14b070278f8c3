import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Compiles a TypeScript source for browsers. `scripts/build.mjs` has compiled the scripts of the pages; the tests, which run from src, set a
 * compiler here.
 */
export const pageCompiler: { compile: ((source: string) => string) | null } = { compile: null };

/**
 * The scripts and style sheets in a folder, by their names as browsers load them, below `prefix`: `dom.js`, also where it is the source
 * `dom.ts`.
 */
export function pageFilesIn(folder: URL, prefix = ''): Readonly<Record<string, URL>> {
  const sources = readdirSync(folder).filter((name) => /^[\w-]+\.(js|ts|css)$/.test(name));
  const names = sources.map((name) => name.replace(/\.ts$/, '.js'));
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, new URL(name, folder)]));
}

/** The content of a file of a page, compiled if only its TypeScript source exists. */
export function readPageFile(file: URL): Buffer {
  if (!pageCompiler.compile || existsSync(file)) return readFileSync(file);
  return Buffer.from(pageCompiler.compile(readFileSync(new URL(file.href.replace(/\.js$/, '.ts')), 'utf8')));
}
