import path from 'node:path';

/** The folders of PATH in their order, without relative ones: programs run in folders whose content users choose. */
export const searchPath = (): readonly string[] =>
  (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));

/** The whole environment of a program. It contains nothing of the service's own environment, which has secrets. */
export const toolEnvironment = (folder: string): Readonly<Record<string, string>> => ({
  PATH: searchPath().join(path.delimiter),
  HOME: folder,
  TMPDIR: folder,
  LANG: 'C.UTF-8',
  // A process makes several renditions at a time, each with one ImageMagick thread.
  MAGICK_THREAD_LIMIT: '1',
  MAGICK_TEMPORARY_PATH: folder,
  // LibreOffice renders in memory, regardless of the installed desktop.
  SAL_USE_VCLPLUGIN: 'svp',
});
