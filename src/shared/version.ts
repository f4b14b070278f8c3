import { existsSync, readFileSync } from 'node:fs';

/** package.json is one folder further away from the build in dist/. */
const PLACES = ['../../package.json', '../../../package.json'];

/** The version of the service, as in package.json and CHANGELOG.md. */
export const VERSION = readVersion();

function readVersion(): string {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place));
  if (!file) throw new Error('package.json is missing beside the program.');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
