import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { repairAvi } from './repair-avi.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'repair-avi-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

const uint32 = (number: number): Buffer => Buffer.from(Uint32Array.of(number).buffer);
const chunk = (type: string, content: Buffer): Buffer => Buffer.concat([Buffer.from(type), uint32(content.length), content]);
const entry = (type: string, place: number): Buffer => Buffer.concat([Buffer.from(type), uint32(0), uint32(place), uint32(2)]);
/** Two pictures behind two sounds: their chunks begin 4, 14, 24 and 34 bytes behind the letters `movi`, which are at 20. */
const MEDIA = Buffer.concat([Buffer.from('movi'), ...['01wb', '01wb', '00dc', '00dc'].map((type) => chunk(type, Buffer.from('ab')))]);
const avi = (...entries: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI '), chunk('LIST', MEDIA), chunk('idx1', Buffer.concat(entries))]);

async function isIndexKept(content: Buffer): Promise<boolean> {
  const file = path.join(folder, 'film.avi');
  await writeFile(file, content);
  await repairAvi(file);
  const repaired = await readFile(file);
  const changed = content.indexOf('idx1');
  if (repaired.equals(content)) return true;
  expect(repaired.toString('latin1')).toBe(content.toString('latin1').replace('idx1', 'JUNK'));
  expect(changed).toBeGreaterThan(0);
  return false;
}

it.each([
  ['from the letters movi', 0],
  ['from the beginning of the file', 20],
])('an index with places %s stays, also if streams are not mixed', async (_, base) => {
  const places = [entry('00dc', base + 24), entry('01wb', base + 4), entry('00dc', base + 34), entry('01wb', base + 14)];
  expect(await isIndexKept(avi(...places))).toBe(true);
});

it.each([
  ['names chunks of another stream', [entry('00dc', 4), entry('00dc', 14)]],
  ['names places behind the end', [entry('00dc', 0xff_ff_ff_f0)]],
  ['is in the wrong order', [entry('00dc', 34), entry('00dc', 24)]],
])('an index that %s is ignored', async (_, entries) => {
  expect(await isIndexKept(avi(...entries))).toBe(false);
});

it('other files stay as they are', async () => {
  for (const content of [Buffer.from('RIFF\0\0\0\0WAVEidx1'), avi().subarray(0, 30), Buffer.alloc(0)])
    expect(await isIndexKept(content)).toBe(true);
});
