import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, type FoundProgram, type SearchPlaces, versionOf } from './find-program.js';
import type { KnownProgram } from './programs.js';

const scriptOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SCRIPT = scriptOf('./run-sharp.cjs');
/** The files that the script loads. */
const PARTS = ['animation-frames', 'copyright', 'standard-colors', 'stated-colors'].map((name) => scriptOf(`./${name}.cjs`));
/** The packages that sharp consists of. */
const PACKAGES = ['sharp', '@img', 'detect-libc', 'semver'];
/** Limits the heap, because V8 otherwise reserves memory by the size of the machine; images are outside the heap. */
const NODE_OPTIONS = ['--max-old-space-size=128'];

/**
 * The command that runs sharp: this Node.js with a script of the service, and the package. Null: the package is not installed, as after `npm ci
 * --omit=optional`.
 */
export function locateSharp(): Command | null {
  try {
    const main = realpathSync(createRequire(import.meta.url).resolve('sharp'));
    const end = main.lastIndexOf(`${path.sep}node_modules${path.sep}`) + `${path.sep}node_modules`.length;
    const packages = PACKAGES.map((name) => path.join(main.slice(0, end), name)).filter(existsSync);
    return { file: process.execPath, leading: [...NODE_OPTIONS, SCRIPT, main], reads: [SCRIPT, ...PARTS, ...packages] };
  } catch {
    return null;
  }
}

/** Finds sharp, which comes with the service. It runs isolated like every other program. */
export async function findSharp(known: KnownProgram, { workFolders, isolation }: Omit<SearchPlaces, 'folders'>): Promise<FoundProgram> {
  const command = locateSharp();
  const version = command && (await workFolders.using(async (folder) => await versionOf(command, known, { folder, isolation })));
  if (command && version !== null) return { ...command, report: { version } };
  return {
    file: null,
    report: { problem: 'sharp does not run on this machine: install the service with its optional packages (npm ci).' },
  };
}
