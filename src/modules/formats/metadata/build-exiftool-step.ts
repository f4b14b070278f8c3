import { isFileName, type Step, type TextFile } from '../converters/converter.js';
import type { MetadataTag } from './build-metadata-tags.js';

/** A run of exiftool, and the file with its arguments. */
export interface ExiftoolStep {
  readonly step: Step;
  readonly file: TextFile;
}

const ARGUMENTS = 'metadata.args';
const TAG = /^(IPTC|EXIF|XMP-[A-Za-z]{1,20}):[A-Za-z-]{1,40}$/;
/** What a line of the file of arguments, or HTML's notation (-E), would read as something else. */
const MEANINGFUL = /[^\p{L}\p{N}\p{M} .,!?()-]/gu;

/**
 * Writes tags, and nothing else, into an image in the job's folder: everything that it carried before is removed apart from its colour
 * profile. What users wrote stands in the file of arguments, one line a value, in HTML's notation, so that no line end, option or file name
 * is in it. Throws when the file's name or a tag is not one of ours.
 */
export function buildExiftoolStep(tags: readonly MetadataTag[], image: string): ExiftoolStep {
  if (!isFileName(image)) throw new Error(`Not a name of a file in the job's folder: ${image}`);
  const values = tags.flatMap(({ tag, values: all }) => all.map((value) => [tag, value] as const));
  const lines = ['-all=', '--ICC_Profile:all', '-IPTC:CodedCharacterSet=UTF8', ...values.map(([tag, value]) => toLine(tag, value))];
  return {
    // -config first and empty: otherwise a configuration in the home directory, which is Perl, would be run.
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
  return `-${tag}=${value.replaceAll(MEANINGFUL, (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16)};`)}`;
}
