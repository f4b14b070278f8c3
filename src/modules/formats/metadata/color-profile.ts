import type { ColorProfile } from '../../media/index.js';
import { isFileName, type Step } from '../converters/converter.js';

/** Characters of the name of a profile, which authors of files choose; names of makers are shorter. */
const MAX_NAME = 100;
/** exiftool's text for a tag that the file does not have. */
const ABSENT = '-';

/** Builds the run of exiftool that prints the colour space and the name of an image's ICC profile in one line, which `readColorProfile` reads. */
export function buildProfileProbe(file: string, stdout: string): Step {
  if (!isFileName(file)) throw new Error(`Not a name of a file in the folder of a transcoding: ${file}`);
  // An empty -config must come first: otherwise a configuration in the home directory, which is Perl code, would run.
  const argv = ['-config', '', '-m', '-T', '-ICC_Profile:ColorSpaceData', '-ICC_Profile:ProfileDescription', file];
  return { program: 'exiftool', argv, stdout };
}

/** Reads the output of `buildProfileProbe`; null: the image has no profile. */
export function readColorProfile(printed: string): ColorProfile | null {
  const [space = ABSENT, name = ABSENT] = (printed.split('\n')[0] ?? '').split('\t');
  const colorSpace = space.trim();
  if (!/^[A-Za-z0-9]{2,4}$/.test(colorSpace)) return null;
  // PostgreSQL stores neither control characters such as zero nor halves of a surrogate pair.
  const text = Buffer.from(name.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_NAME))
    .toString()
    .trim();
  return { name: text === ABSENT || text === '' ? null : text, colorSpace };
}
