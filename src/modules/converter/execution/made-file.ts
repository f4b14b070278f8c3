import { lstat } from 'node:fs/promises';
import { executionErrors } from './execution.errors.js';

/** The size of what a program made. Throws `result_unreadable` when there is nothing, or no file of its own. */
export async function measureMade(file: string): Promise<number> {
  const found = await lstat(file).catch(() => null);
  if (found?.isFile() && found.size > 0) return found.size;
  throw executionErrors.result_unreadable(found?.isFile() ? 'The program made an empty file.' : 'The program made no file.');
}
