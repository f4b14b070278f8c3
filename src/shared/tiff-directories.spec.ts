import { describe, expect, it } from '@jest/globals';
import { readDirectories, readFirstDirectory } from './tiff-directories.js';

const pictureOf = (content: Buffer) => ({
  size: content.length,
  read: async (position: number, length: number) =>
    position >= 0 && position + length <= content.length ? content.subarray(position, position + length) : null,
});
const hex = (...parts: readonly string[]): Buffer => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');

/** Two pages, with a directory below the first one; the width of each is 10, 20 and 30. */
const LITTLE = hex(
  '49492a00 08000000',
  '0200 0001 0300 01000000 0a000000 4a01 0400 01000000 38000000 26000000', // 8: width, directories below
  '0100 0001 0300 01000000 1e000000 00000000', // 38: the second page
  '0100 0001 0400 01000000 14000000 00000000', // 56: below the first page
);
const BIG = hex('4d4d002b 00080000 0000000000000010', '0000000000000001 0100 0003 0000000000000003 0001000200030000 0000000000000000');

const widthsOf = async (content: Buffer) => (await readDirectories(pictureOf(content))).map(({ tags }) => tags.get(256)?.numbers);

describe('the directories of a TIFF', () => {
  it('are those of its pages and below them, the first page first', async () => {
    expect(await widthsOf(LITTLE)).toEqual([[10], [20], [30]]);
    expect((await readDirectories(pictureOf(LITTLE))).map(({ offset }) => offset)).toEqual([8, 56, 38]);
  });

  it('have numbers of several bytes in a BigTIFF of the other byte order', async () => {
    expect(await widthsOf(BIG)).toEqual([[1, 2, 3]]);
  });

  it('begin where the structure begins in another file', async () => {
    const within = pictureOf(Buffer.concat([Buffer.alloc(100), LITTLE]));
    expect((await readFirstDirectory(within, 100))?.tags.get(256)?.numbers).toEqual([10]);
    expect(await readFirstDirectory(within, 0)).toBeNull();
  });

  it('are read once if they refer to each other in a circle', async () => {
    const circle = Buffer.from(LITTLE);
    circle.writeUInt32LE(8, 52);
    expect(await widthsOf(circle)).toHaveLength(3);
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('II is no TIFF, nor is it one of anything')],
    ['a file that ends in its header', LITTLE.subarray(0, 6)],
    ['a file that ends in its directory', LITTLE.subarray(0, 20)],
    ['a directory of more entries than any program writes', Buffer.from(LITTLE).fill(0xff, 8, 10)],
  ])('are none in %s', async (_, content) => expect(await readDirectories(pictureOf(content))).toEqual([]));
});
