import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { FakeObjectStorage } from '../../shared/storage/fake-object-storage.js';
import type { StoredObject } from '../../shared/storage/index.js';
import { FirstFactsService } from './first-facts.service.js';

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
/** A JPEG of 600 x 400 pixels with a profile of this size before them. */
const aJpeg = (orientation: number, profileBytes: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.from(`457869660000${'4d4d002a00000008'}0001${'0112000300000001'}000${orientation}0000${'00000000'}`, 'hex')),
    ...Array.from({ length: Math.ceil(profileBytes / 60_000) }, () => segment(0xe2, Buffer.alloc(60_000))),
    segment(0xc0, Buffer.from('0801900258030122000211010311', 'hex')),
    Buffer.alloc(100),
  ]);

describe('the first bytes of an upload', () => {
  const read = async (content: Buffer, type: 'image' | 'video' | 'audio' = 'image', etag = 'etag') => {
    const storage = new FakeObjectStorage();
    storage.put('key', { size: content.length }, content);
    const object: StoredObject = { ...(storage.objects.get('key') as StoredObject), etag };
    const facts = new FirstFactsService(storage);
    return { shown: await facts.read({ type, s3Key: 'key' }, object), poster: await facts.readPoster({ s3Key: 'key' }, object) };
  };
  const size = (width: number | null, height: number | null) => ({ width, height, duration: null, codec: null });

  it.each([
    [1, 0, size(600, 400)],
    [6, 0, size(400, 600)],
    [3, 180_000, size(600, 400)],
    [8, 600_000, size(null, null)],
  ])('of a JPEG of orientation %i with a profile of %i bytes say %j', async (orientation, profileBytes, expected) => {
    const { shown, poster } = await read(aJpeg(orientation, profileBytes));
    expect([shown, poster]).toEqual([expected, expected.width === null ? null : expected]);
  });

  const noise = sharp(randomBytes(3 * 400 * 300), { raw: { width: 400, height: 300, channels: 3 } });
  /** Moves the EXIF data of a PNG behind its picture, where some programs write them. */
  const withExifBehind = (png: Buffer): Buffer => {
    const [start, end] = [png.indexOf('eXIf') - 4, png.length - 12];
    const next = start + 12 + png.readUInt32BE(start);
    return Buffer.concat([png.subarray(0, start), png.subarray(next, end), png.subarray(start, next), png.subarray(end)]);
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('say the upright size of a picture of orientation %i', async (orientation) => {
    const lying = noise.clone().withMetadata({ orientation });
    const png = await lying.clone().png({ compressionLevel: 0 }).toBuffer();
    const webp = await lying.clone().webp({ lossless: true }).toBuffer();
    for (const content of [await lying.clone().jpeg().toBuffer(), png, withExifBehind(png), webp]) {
      expect((await read(content)).shown).toEqual(orientation > 4 ? size(300, 400) : size(400, 300));
    }
    expect(Math.min(png.length, webp.length)).toBeGreaterThan(262_144); // the end of the file is read, too
  });

  it.each([
    ['of a sound file', aJpeg(1, 0), 'audio', 'etag'],
    ['of a file that was replaced meanwhile', aJpeg(1, 0), 'image', 'another'],
    ['of a short file', Buffer.from('x'), 'video', 'etag'],
    ['of no file', Buffer.alloc(0), 'image', 'etag'],
  ] as const)('%s say nothing', async (_, content, type, etag) => {
    expect((await read(content, type, etag)).shown).toEqual(size(null, null));
  });

  it('of anything but a picture are no poster', async () => {
    expect((await read(Buffer.from(`%PDF-1.7\n${'x'.repeat(100)}`))).poster).toBeNull();
  });
});
