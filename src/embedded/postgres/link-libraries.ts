import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../../shared/errors/startup-error.js';
import { errorCode } from './error-fields.js';
import type { Binaries } from './find-binaries.js';

/** Paths relative to the package, for example native/lib/libicuuc.so.60.2 and native/lib/libicuuc.so.60. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Makes the library links which npm packages cannot carry; a package script makes them, but not under `npm ci --ignore-scripts`.
 * Costs nothing when they are there. Throws StartupError when they are needed and node_modules cannot be written.
 */
export function linkLibraries({ packageDir }: Binaries): void {
  for (const { source, target } of readLinks(packageDir)) {
    const link = path.join(packageDir, target);
    if (!existsSync(link)) makeLink(path.relative(path.dirname(target), source), link);
  }
}

function readLinks(packageDir: string): readonly Link[] {
  const file = path.join(packageDir, 'native', 'pg-symlinks.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Link[]) : [];
}

function makeLink(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return; // another launcher was quicker
    const message = `The embedded PostgreSQL lacks the link ${link} and it cannot be made (${errorCode(cause)}): run \`npm ci\` as the owner of node_modules, without --ignore-scripts, or set DATABASE_URL.`;
    throw new StartupError(message, { cause });
  }
}
