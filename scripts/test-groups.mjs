// Why test files run in groups: Jest gives every test file its own module registry, and a test of the service loads about 3,000 modules, which takes
// longer than running most files. A ring of 100 files would load the service 100 times. Therefore:
//   1. `writeGroups` divides the files of a ring among a few group files, `.tmp/test-groups/RING/1.spec.ts` and so on, about equal in size. A group
//      consists of one import per test file. Jest runs the groups instead of the files (jest.config.mjs), so each group loads the service once.
//   2. In a group, hooks and variables at the top of a file would apply to its neighbours. The transformer below wraps what follows the imports of a
//      test file in `describe('<file name>', () => { … })`, which also shows in the results from which file a test is.
// Test files must therefore restore what they change in their process. A run with a pattern has no groups: each file runs by itself.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import swcJest from '@swc/jest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** How many groups a ring has: one for each of Jest's processes if the tests load the service, because loading is most of the work. */
const COUNTS = { unit: 2, integration: 4, e2e: 4, stress: 4, browser: 2, external: 3 };

/** Where the groups of a ring are written. */
export const groupFolder = (ring) => path.join(root, '.tmp', 'test-groups', ring);

/** Writes the groups of a ring, if it has any: assigns its files, the largest first, each to the group that is the smallest so far. */
export function writeGroups(ring, files) {
  if (!COUNTS[ring]) return;
  const folder = groupFolder(ring);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const groups = Array.from({ length: Math.min(COUNTS[ring], files.length) }, () => ({ files: [], size: 0 }));
  const sized = files.map((file) => ({ file, size: statSync(path.join(root, file)).size })).sort((one, other) => other.size - one.size);
  for (const { file, size } of sized) {
    const smallest = groups.reduce((one, other) => (other.size < one.size ? other : one));
    smallest.files.push(file);
    smallest.size += size;
  }
  for (const [index, group] of groups.entries()) {
    const imports = group.files.map((file) => `import '${path.relative(folder, path.join(root, file))}';\n`);
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
