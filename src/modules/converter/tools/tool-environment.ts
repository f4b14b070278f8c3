import path from 'node:path';
import { searchPath } from './search-path.js';

/** All that a program sees of the environment: nothing of the service's own, whose settings are secrets. */
export const toolEnvironment = (folder: string): Readonly<Record<string, string>> => ({
  PATH: searchPath().join(path.delimiter),
  HOME: folder,
  TMPDIR: folder,
  LANG: 'C.UTF-8',
  // A process makes several renditions at a time, each with one thread of ImageMagick.
  MAGICK_THREAD_LIMIT: '1',
  MAGICK_TEMPORARY_PATH: folder,
  // LibreOffice draws in memory, whatever desktop is installed.
  SAL_USE_VCLPLUGIN: 'svp',
});
