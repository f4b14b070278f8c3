import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NoIsolation, workFolders, writeScript } from '../../../../test/support/converter/tool-scripts.js';
import { findProgram } from './find-program.js';
import { KNOWN_PROGRAMS } from './programs.js';

const isolation = new NoIsolation();

describe('looking for a program', () => {
  let root: string;
  let folders: string[];
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'path-'));
    folders = ['first', 'second', 'third'].map((name) => path.join(root, name));
    for (const folder of folders) mkdirSync(folder);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (place: number, name: string, lines: string) => writeScript(path.join(folders[place] ?? '', name), lines);
  const imagemagick = (version: string) => `echo "Version: ImageMagick ${version} Q16 x86_64"; echo "Copyright"`;

  it('uses the first that identifies itself, and ignores other programs', async () => {
    put(0, 'convert', 'echo "convert 1.0: inches and miles"');
    mkdirSync(path.join(folders[1] ?? '', 'convert'));
    const file = put(2, 'convert', imagemagick('6.9.11-60'));
    expect(await findProgram(KNOWN_PROGRAMS.convert, { folders, workFolders, isolation })).toEqual({
      file,
      report: { version: '6.9.11-60' },
    });
  });

  it('takes it by the name of its newer version', async () => {
    put(0, 'convert', 'exit 1');
    const file = put(1, 'magick', imagemagick('7.1.1-43'));
    expect(await findProgram(KNOWN_PROGRAMS.convert, { folders, workFolders, isolation })).toEqual({
      file,
      report: { version: '7.1.1-43' },
    });
  });

  it.each([
    ['ffmpeg', 'echo "ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026"; head -c 100000 /dev/zero', '5.1.9-0+deb12u1'],
    ['ffprobe', 'echo "ffprobe version n7.0 Copyright"', 'n7.0'],
    ['soffice', 'echo "LibreOffice 7.4.7.2 40(Build:2)"', '7.4.7.2'],
    ['pdftoppm', 'echo "pdftoppm version 22.12.0" >&2; exit 99', '22.12.0'],
    ['exiftool', 'echo 12.57', '12.57'],
  ] as const)('reads the version of %s', async (name, lines, version) => {
    const file = put(1, name, lines);
    expect(await findProgram(KNOWN_PROGRAMS[name], { folders, workFolders, isolation })).toEqual({ file, report: { version } });
  });

  it('runs it in a folder that is removed if this process dies', async () => {
    const where = path.join(root, 'where');
    put(0, 'exiftool', `printf "$PWD" > ${where}; echo 12.57`);
    await findProgram(KNOWN_PROGRAMS.exiftool, { folders, workFolders, isolation });
    const [asked, lent] = [readFileSync(where, 'utf8'), await workFolders.using(async (folder) => folder)];
    expect([path.dirname(asked), existsSync(asked)]).toEqual([path.dirname(lent), false]);
  });

  it('tells the operator what to do if none is found', async () => {
    const problemOf = async (name: keyof typeof KNOWN_PROGRAMS) =>
      (await findProgram(KNOWN_PROGRAMS[name], { folders, workFolders, isolation })).report;
    expect(await problemOf('ffmpeg')).toEqual({
      problem: 'ffmpeg is not installed: run `npm run install:tools` (Debian), or put it in PATH.',
    });
    put(0, 'convert', 'echo inches');
    writeFileSync(path.join(folders[1] ?? '', 'soffice'), 'not executable');
    expect(await problemOf('convert')).toEqual({
      problem:
        'ImageMagick (convert) is not installed, and what is called convert in PATH is something else, or needs files that CONVERTER_READS does not name: run `npm run install:tools` (Debian), or put it in PATH.',
    });
    expect(await problemOf('soffice')).toMatchObject({ problem: expect.stringMatching(/^LibreOffice \(soffice\) is not installed:/) });
  });

  it('ignores files that cannot be executed', async () => {
    const file = put(0, 'exiftool', '');
    writeFileSync(file, '#!/no/such/interpreter\n');
    put(1, 'exiftool', 'echo 12.57');
    expect((await findProgram(KNOWN_PROGRAMS.exiftool, { folders, workFolders, isolation })).report).toEqual({ version: '12.57' });
  });
});
