import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { run } from '../support/converter/run-invocation.js';
import { PROFILES } from '../support/media/color-profiles.js';

/** Colours as they are meant: red, green and blue from 0 to 255 in sRGB. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** How a file of the corpus is made. */
export interface Recipe {
  readonly name: string;
  readonly extension: string;
  /** The file itself, or the file `{0}` of the runs. */
  readonly content?: string | Buffer;
  /** Programs with their arguments, one after the other; `{file}` is the file, `{0}` another one, `{chapters}` a text with chapters. */
  readonly runs?: readonly (readonly string[])[];
  /** What happens to its bytes in the end. */
  readonly change?: (bytes: Buffer) => Buffer;
  /** Texts that no rendition may contain. */
  readonly secrets?: readonly string[];
}

/** What a camera and its owner tell about themselves, in the tags of ffmpeg, and no rendition may tell. */
export const TAGS = ['location=+52.5200+013.4050/', 'comment=SN 4711-0815', 'author=Ada Vandermeer'].flatMap((tag) => ['-metadata', tag]);
export const SECRETS = ['+52.52', '4711-0815', 'Vandermeer'];

/** A file of which no rendition can be made, and what its owner is told. */
export interface RefusedFile extends Recipe {
  readonly reason: RegExp;
}

/** Keeps this share of the bytes of a file, as an upload or a recording that was interrupted. */
export const cutOff =
  (share: number) =>
  (bytes: Buffer): Buffer =>
    bytes.subarray(0, Math.floor(bytes.length * share));

/** Chapters in ffmpeg's notation. */
const CHAPTERS =
  ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=3000\ntitle=Two\n';

/** Makes a file of the corpus in a folder; returns its path. */
export async function makeFile(folder: string, { name, extension, content, runs = [], change }: Recipe): Promise<string> {
  const base = path.join(folder, name.replaceAll(/\W+/g, '-'));
  const [file, chapters] = [`${base}.${extension}`, path.join(folder, 'chapters.txt')];
  writeFileSync(chapters, CHAPTERS);
  if (content !== undefined) writeFileSync(runs.length > 0 ? `${base}-0` : file, content);
  for (const [program = '', ...argv] of runs) {
    const named = argv.map((word) => word.replace('{file}', file).replaceAll('{0}', `${base}-0`).replace('{chapters}', chapters));
    await run(folder, program, named);
  }
  if (change) writeFileSync(file, change(readFileSync(file)));
  return file;
}

/** Makes a film or a sound of the corpus by ffmpeg alone. */
export const makeFilm = async (folder: string, { runs = [], ...film }: Recipe): Promise<string> =>
  await makeFile(folder, { ...film, runs: runs.map((argv) => ['ffmpeg', '-v', 'error', '-y', ...argv]) });

/** Writes the colour profiles that pictures embed into a folder: adobe.icc, prophoto.icc, linearGrey.icc, srgb.icc, p3.icc and cmyk.icc. */
export async function writeProfiles(folder: string): Promise<void> {
  for (const [name, profile] of Object.entries(PROFILES)) writeFileSync(path.join(folder, `${name}.icc`), profile);
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
  for (const name of ['srgb', 'cmyk', 'p3']) {
    const tiff = pixel.clone().withIccProfile(name);
    const { icc } = await sharp(await (name === 'cmyk' ? tiff.toColourspace('cmyk') : tiff).tiff().toBuffer()).metadata();
    writeFileSync(path.join(folder, `${name}.icc`), icc ?? '');
  }
}
