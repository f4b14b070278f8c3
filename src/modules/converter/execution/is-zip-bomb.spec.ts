import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { zip } from '../../../../test/support/media/hostile-files.js';
import { isZipBomb } from './is-zip-bomb.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-zip-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function isBomb(content: Buffer): Promise<boolean> {
  const file = path.join(folder, 'file');
  await writeFile(file, content);
  return await isZipBomb(file);
}

const MEBIBYTE = 1_048_576;
const zeros = (size: number) => Buffer.alloc(size * MEBIBYTE);

it('is an archive that expands to a thousand times its size, in one part or in many', async () => {
  expect(await isBomb(zip([{ name: 'a', content: zeros(101) }]))).toBe(true);
  expect(await isBomb(zip(Array.from({ length: 11 }, (_, n) => ({ name: `part ${n}`, content: zeros(10) }))))).toBe(true);
});

it('is neither a well compressed small archive nor one that is hardly compressed', async () => {
  expect(await isBomb(zip([{ name: 'a', content: zeros(20) }]))).toBe(false);
  expect(await isBomb(Buffer.concat([zeros(3), zip([{ name: 'a', content: zeros(101) }])]))).toBe(false);
});

it('is not a file that is no archive, or a truncated archive', async () => {
  const whole = zip([{ name: 'a', content: zeros(101) }]);
  for (const content of [Buffer.alloc(0), Buffer.from('hello'), whole.subarray(0, 100), whole.subarray(-10), Buffer.from('PK\x05\x06')]) {
    expect(await isBomb(content)).toBe(false);
  }
});
