// A test of the service loads about 3,000 modules, which takes Jest longer than running most test files. Therefore, when whole rings run, a few
// group files import their test files, and the modules are loaded once for each group.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import swcJest from '@swc/jest';

/** Where the groups of a ring are written. */
export const groupFolder = (root, ring) => path.join(root, '.tmp', 'test-groups', ring);

/** Where the tests of a ring are. */
const FOLDERS = {
  unit: ['src', 'scripts', 'console/src', 'sdk/src', 'local-storage/src'],
  integration: ['test/integration', 'local-storage/test'],
};
export const foldersOf = (ring) => FOLDERS[ring] ?? [`test/${ring}`];

/** Writes the groups of a ring: assigns its files, the largest first, each to the group that is the smallest so far. */
export function writeGroups(root, ring, count) {
  const folder = groupFolder(root, ring);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = foldersOf(ring)
    .map((name) => path.join(root, name))
    .flatMap((source) => readdirSync(source, { recursive: true }).map((name) => path.join(source, name)))
    .filter((name) => name.endsWith('.spec.ts'))
    .map((file) => ({ file, size: statSync(file).size }))
    .sort((one, other) => other.size - one.size);
  const groups = Array.from({ length: count }, () => ({ files: [], size: 0 }));
  for (const { file, size } of files) {
    const smallest = groups.reduce((one, other) => (other.size < one.size ? other : one));
    smallest.files.push(file);
    smallest.size += size;
  }
  for (const [index, group] of groups.entries()) {
    const imports = group.files.map((file) => `import '${path.relative(folder, file)}';\n`);
    writeFileSync(path.join(folder, `${index + 1}.spec.ts`), imports.join(''));
  }
}

/** The imports and comments at the beginning of a file. */
const HEAD = /^(?:\s*(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|import\b[^;]*;))*/;

/** Puts everything after the imports into a describe block, so that in a group a file's hooks and variables apply to its own tests only. */
function enclose(source, file) {
  if (!file.endsWith('.spec.ts') || source.trim() === '') return source;
  const head = HEAD.exec(source)?.[0] ?? '';
  const body = source.slice(head.length);
  return body.trim() === '' ? source : `${head}describe(${JSON.stringify(path.basename(file))}, () => {${body}\n});\n`;
}

/** @swc/jest for test files that a group imports. */
export default {
  createTransformer(options) {
    const swc = swcJest.createTransformer(options);
    return {
      ...swc,
      process: (source, file, more) => swc.process(enclose(source, file), file, more),
      processAsync: (source, file, more) => swc.processAsync(enclose(source, file), file, more),
      getCacheKey: (source, file, ...more) => swc.getCacheKey(enclose(source, file), file, ...more),
    };
  },
};
