import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileParts } from './compile-parts.js';

/** The embedded parts and all that they import. */
export const EMBEDDED_PARTS = [
  'src/embedded',
  'src/shared/errors.ts',
  'src/shared/find-xml-problem.ts',
  'src/shared/http',
  'src/shared/process-start-time.ts',
];

/** The embedded parts as JavaScript in a folder, because their child processes run without Jest. */
export function compileStorage(folder: string): { file(name: string): string } {
  compileParts(EMBEDDED_PARTS, folder);
  return { file: (name) => pathToFileURL(path.join(folder, 'src/embedded/object-storage', name)).href };
}
