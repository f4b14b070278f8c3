import { isFileName, type Step, type TextFile } from '../converters/converter.js';
import type { MetadataTag } from './build-metadata-tags.js';

/** A run of exiftool, and the file with its arguments. */
export interface ExiftoolStep {
  readonly step: Step;
  readonly file: TextFile;
}

const ARGUMENTS = 'metadata.args';
const TAG = /^(IPTC|EXIF|XMP-[A-Za-z]{1,20}):[A-Za-z-]{1,40}$/;
/** Characters that may have a special meaning in a line of the argument file or in HTML entities (-E). */
const SPECIAL = /[^\p{L}\p{N}\p{M} .,!?()-]/gu;

/**
 * Builds the run that writes tags into an image and removes all other metadata except the colour profile. Texts of users are in the argument file,
 * one line per value, with HTML entities, so that they cannot contain a line end, option or file name. Throws if the file name or a tag is not
 * plain.
 */
export function buildExiftoolStep(tags: readonly MetadataTag[], image: string): ExiftoolStep {
  if (!isFileName(image)) throw new Error(`Not a name of a file in the folder of a transcoding: ${image}`);
  const values = tags.flatMap(({ tag, values: all }) => all.map((value) => [tag, value] as const));
  const lines = ['-all=', '--ICC_Profile:all', '-IPTC:CodedCharacterSet=UTF8', ...values.map(([tag, value]) => toLine(tag, value))];
  return {
    // An empty -config must come first: otherwise a configuration in the home directory, which is Perl code, would run.
    step: {
      program: 'exiftool',
      argv: ['-config', '', '-q', '-m', '-E', '-overwrite_original', ...CHARSETS, '-@', ARGUMENTS, image],
      stdout: null,
    },
    file: { name: ARGUMENTS, content: `${lines.join('\n')}\n` },
  };
}

const CHARSETS = ['utf8', 'iptc=utf8', 'exif=utf8', 'filename=utf8'].flatMap((charset) => ['-charset', charset]);

function toLine(tag: string, value: string): string {
  if (!TAG.test(tag)) throw new Error(`Not a tag: ${tag}`);
  return `-${tag}=${value.replaceAll(SPECIAL, (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16)};`)}`;
}
