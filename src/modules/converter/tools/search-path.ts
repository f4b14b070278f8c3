import path from 'node:path';

/** The folders of PATH in their order. Relative ones are left out: programs run in folders whose content is somebody else's. */
export const searchPath = (): readonly string[] =>
  (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
