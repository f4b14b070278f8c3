import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, it } from '@jest/globals';
import { FakeObjectStorage } from '../../../shared/storage/fake-object-storage.js';
import { openInPieces } from './file-stream.service.js';

const content = randomBytes(1_000);
let storage: FakeObjectStorage;
beforeEach(() => {
  storage = new FakeObjectStorage();
  storage.put('film', { size: content.length, etag: 'one' }, content);
});
const open = async (start: number, end: number, pieceBytes: number, etag = 'one') =>
  await openInPieces(storage, { key: 'film', version: null, etag }, { start, end, pieceBytes });

it.each([
  [0, 999, 1_000],
  [0, 999, 10_000],
  [0, 999, 300],
  [0, 999, 1],
  [500, 999, 250],
  [999, 999, 64],
  [3, 702, 100],
])('bytes %d to %d come in pieces of %d', async (start, end, pieceBytes) => {
  const pieces = await open(start, end, pieceBytes);
  if (!pieces) throw new Error('There is nothing.');
  const taken: Buffer[] = [];
  for await (const piece of pieces) taken.push(piece);
  expect(Buffer.concat(taken).equals(content.subarray(start, end + 1))).toBe(true);
  expect(Math.max(...taken.map(({ length }) => length))).toBeLessThanOrEqual(pieceBytes);
});

it('an object that is missing, replaced or shorter is not sent', async () => {
  expect(await open(0, 9, 5, 'two')).toBeNull();
  expect(await open(1_000, 1_009, 5)).toBeNull();
  expect(await open(990, 1_009, 50)).toBeNull();
  await storage.delete('film');
  expect(await open(0, 9, 5)).toBeNull();
});

it.each<[string, () => unknown]>([
  ['deleted', async () => await storage.delete('film')],
  ['replaced', () => storage.put('film', { size: 1_000, etag: 'two' })],
])('an object that is %s meanwhile breaks off', async (_, change) => {
  const pieces = await open(0, 999, 100);
  await change();
  await expect(buffer(pieces as AsyncIterable<Buffer>)).rejects.toThrow('while it was sent');
});
