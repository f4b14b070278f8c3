import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { zip } from '../../../../test/support/media/hostile-files.js';
import { isCutOff } from './is-cut-off.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-cut-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function isCut(content: Buffer): Promise<boolean> {
  const file = path.join(folder, 'file');
  await writeFile(file, content);
  return await isCutOff(file);
}

const SECTOR = 512;
interface Compound {
  /** Sectors with content, of those that its tables describe. */
  readonly used: number;
  /** Sectors in the file; absent: those with content. */
  readonly sectors?: number;
  readonly directory?: number;
  /** The number of its tables that its header states, the first of which is sector 0. */
  readonly tables?: number;
  readonly shift?: number;
}

/** A compound file of sectors of 512 bytes. */
function compound({ used, sectors = used, directory = 1, tables = 1, shift = 9 }: Compound): Buffer {
  const file = Buffer.alloc((sectors + 1) * SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(shift, 30);
  file.writeUInt32LE(tables, 44);
  file.writeUInt32LE(directory, 48);
  file.fill(0xff, 80, SECTOR); // no further tables
  file.fill(0xff, SECTOR + used * 4, 2 * SECTOR); // sectors without content
  return file;
}

it('is an archive without its end record', async () => {
  const whole = zip([{ name: 'a', content: Buffer.alloc(1_000, 'a') }]);
  expect(await isCut(whole)).toBe(false);
  expect(await isCut(Buffer.concat([whole, Buffer.alloc(60_000)]))).toBe(false);
  for (const length of [4, 30, whole.length - 22]) expect(await isCut(whole.subarray(0, length))).toBe(true);
});

it('is a compound file that lacks a sector with content', async () => {
  const whole = compound({ used: 5 });
  expect(await isCut(whole)).toBe(false);
  expect(await isCut(whole.subarray(0, -1))).toBe(false);
  for (const length of [8, 511, SECTOR, 2 * SECTOR, 5 * SECTOR]) expect(await isCut(whole.subarray(0, length))).toBe(true);
  expect(await isCut(compound({ used: 5, sectors: 4 }))).toBe(true);
});

it('is a compound file without its directory, or whose header states more than there can be', async () => {
  for (const directory of [5, 0xff_ff_ff_ff]) expect(await isCut(compound({ used: 5, directory }))).toBe(true);
  for (const tables of [2, 110, 0xff_ff_ff_ff]) expect(await isCut(compound({ used: 5, tables }))).toBe(true);
});

it('is neither a compound file of a version that is not read, nor a file of another type', async () => {
  expect(await isCut(compound({ used: 5, sectors: 4, shift: 200 }))).toBe(false);
  for (const content of ['', 'PK', 'hello', '%PDF-1.7']) expect(await isCut(Buffer.from(content))).toBe(false);
});
