// Chooses test files: those of a ring, and by the table of test/landing.mjs those of the main paths, of the browser walk and of a change.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROWS, SECONDS, WALK } from '../test/landing.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Where the tests of a ring are. */
const FOLDERS = {
  unit: ['src', 'scripts', 'console/src', 'sdk/src', 'local-storage/src'],
  integration: ['test/integration', 'local-storage/test'],
  architecture: [], // jest.config.mjs names its files: they are beside the folders of the other rings
};
export const foldersOf = (ring) => FOLDERS[ring] ?? [`test/${ring}`];

/** The test files of a ring, as paths from the root. */
export const specsOf = (ring) =>
  foldersOf(ring)
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith('.spec.ts'))
    .sort();

/** The test files of a ring whose names begin as the table says, for example 'saml oauth.spec'; '*' are all. */
export function namedSpecs(ring, names = '') {
  const beginnings = names.split(' ').filter(Boolean);
  return specsOf(ring).filter((file) => names === '*' || beginnings.some((name) => path.basename(file).startsWith(name)));
}

/** The e2e specs of the main paths, which `npm test` runs. */
export const mainSpecs = () => ROWS.flatMap(({ main }) => namedSpecs('e2e', main));

/** The browser specs that every change must pass. */
export const walkSpecs = () => namedSpecs('browser', WALK);

/** The order in which a landing runs the other rings: what tells most about a change is first. Those of one line run side by side. */
const ORDER = [['integration', 'e2e'], ['browser'], ['external'], ['stress']];

/**
 * The test files that these changed files touch and that neither `npm test` nor the walk runs, by groups of rings: specs that changed themselves, then
 * in the order of the table. Without a list, all of them.
 */
export function touchedSpecs(changed) {
  const covered = new Set([...mainSpecs(), ...walkSpecs()]);
  const rows = ROWS.filter(({ paths }) => changed?.some((file) => paths.some((start) => file.startsWith(start))));
  const touched = (ring) => {
    const all = specsOf(ring);
    const files = changed ? [...all.filter((file) => changed.includes(file)), ...rows.flatMap((row) => namedSpecs(ring, row[ring]))] : all;
    return [...new Set(files)].filter((file) => !covered.has(file)).map((file) => ({ ring, file }));
  };
  return ORDER.map((rings) => rings.flatMap(touched));
}

/** The files that differ from `base`, by default from the last release. Null if the history does not tell, because the clone is shallow or none. */
export function changedFiles(base = lastRelease()) {
  if (base === null) return null;
  const lines = (...args) =>
    git(...args)
      .split('\n')
      .filter(Boolean);
  return [...lines('diff', '--name-only', base), ...lines('ls-files', '--others', '--exclude-standard')];
}

/** The last commit before this one that changed the version of the service. */
function lastRelease() {
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return null;
    const releases = git('log', '--format=%H', '-G^  "version":', '--', 'package.json').split('\n');
    const head = git('rev-parse', 'HEAD');
    return releases.find((commit) => commit !== head) || null;
  } catch {
    return null;
  }
}

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** In so many seconds Jest, PostgreSQL and the modules of the service have started. */
const START_SECONDS = 30;

/** The first ones of these specs, as many as fit into so many seconds if each takes as long as the average of its ring, and how long they take. */
export function chooseFitting(specs, seconds) {
  const averages = new Map(ORDER.flat().map((ring) => [ring, SECONDS[ring] / specsOf(ring).length]));
  const fitting = [];
  let needed = specs.length === 0 ? 0 : START_SECONDS;
  for (const spec of specs) {
    if (needed + averages.get(spec.ring) > seconds) break;
    needed += averages.get(spec.ring);
    fitting.push(spec);
  }
  return { fitting, needed: fitting.length === 0 ? 0 : needed };
}
