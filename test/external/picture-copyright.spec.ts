import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { planResizedPicture } from '../../src/modules/formats/index.js';
import { run, runStep } from '../support/converter/run-invocation.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'copyright-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['jpg', 'png', 'tif', 'psd'])(
  'a copyright notice in IPTC, as ExifTool writes it, stays in a size of a picture (%s)',
  async (extension) => {
    const file = `picture.${extension}`;
    await run(folder, 'convert', ['-size', '60x40', 'xc:red', file]);
    const tags = ['-IPTC:CopyrightNotice=© Zoë Ada', '-IPTC:By-line=Charles', '-IPTC:CodedCharacterSet=UTF8'];
    await run(folder, 'exiftool', ['-q', '-m', '-overwrite_original', ...tags, file]);
    const size = { format: 'webp', width: 30, height: 20, cover: false, output: 'size.webp' } as const;
    for (const step of planResizedPicture({ ...size, file, extension, programs: ['sharp', 'convert'] })) await runStep(folder, step);
    const { exif, xmpAsString, iptc } = await sharp(path.join(folder, size.output)).metadata();
    expect([exif?.includes('(C) Zoe Ada'), xmpAsString?.includes('>© Zoë Ada<'), iptc]).toEqual([true, true, undefined]);
    expect(`${exif?.toString('latin1')}${xmpAsString}`).not.toContain('Charles');
  },
);
