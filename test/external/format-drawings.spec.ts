import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useFormatJobs } from '../support/converter/format-jobs.js';
import { AN_IMAGE, aSource, type Change } from '../support/converter/format-requests.js';
import { readPixels } from '../support/media/pixels.js';

const jobs = useFormatJobs();
const GREY = aSource({ width: 640, height: 360, duration: 2, hasAudio: false });
const PLAIN = { ...AN_IMAGE, width: 400, height: 300, fileExtension: 'png' };

describe('overlays of videos', () => {
  const changed = async (settings: Change['settings'], more: Change = {}) => {
    const inputs = { source: jobs.media.grey, watermark: jobs.media.mark };
    const plain = await readPixels(await jobs.make('h264-360p', { source: GREY }, inputs));
    return (await readPixels(await jobs.make('h264-360p', { source: GREY, settings, ...more }, inputs))).differenceFrom(plain);
  };

  it.each([
    ['tl', 13, 13],
    ['br', 640 - 13 - 128, 360 - 13 - 64],
    ['c', 256, 148],
  ] as const)('a watermark stands at %s, as wide as it is told', async (position, left, top) => {
    const box = await changed({ watermark: { mediaContainerId: 1, position, widthFactor: 20 } });
    expect(Math.abs((box?.left ?? 0) - left)).toBeLessThanOrEqual(2);
    expect(Math.abs((box?.top ?? 0) - top)).toBeLessThanOrEqual(2);
    expect(Math.abs((box?.right ?? 0) - (left + 127))).toBeLessThanOrEqual(2);
    expect(Math.abs((box?.bottom ?? 0) - (top + 63))).toBeLessThanOrEqual(2);
  });

  it('a timecode is at the bottom, or at the top if configured, and the customer overrides it', async () => {
    const bottom = await changed({ burnTimecode: {} });
    expect(bottom?.top).toBeGreaterThan(310);
    expect(Math.abs((bottom?.left ?? 0) + (bottom?.right ?? 0) - 640)).toBeLessThan(12);
    expect((await changed({ burnTimecode: { position: 'North' } }))?.bottom).toBeLessThan(50);
    const overridden = await changed({ burnTimecode: { position: 'North' } }, { customerTimecode: { position: 'South', fontsize: '40' } });
    expect(overridden?.top).toBeGreaterThan(260);
    expect((overridden?.bottom ?? 0) - (overridden?.top ?? 0)).toBeGreaterThan((bottom?.bottom ?? 0) - (bottom?.top ?? 0));
  });

  it('a timecode counts, from 10 hours or from zero', async () => {
    const at = async (offset: 0 | 1, second: number) =>
      await readPixels(
        await jobs.make('h264-360p', { source: GREY, settings: { burnTimecode: { offset } } }, { source: jobs.media.grey }),
        second,
      );
    const [ten, zero, later] = await Promise.all([at(0, 0), at(1, 0), at(0, 1)]);
    expect(ten.differenceFrom(zero)).not.toBeNull();
    expect(ten.differenceFrom(later)).not.toBeNull();
    // The hours are left of where the seconds change.
    expect(ten.differenceFrom(zero)?.right).toBeLessThan(ten.differenceFrom(later)?.left ?? 0);
  });
});

describe('overlays of images', () => {
  const annotated = async (text: string) =>
    await readPixels(await jobs.make('png', { source: PLAIN, settings: { annotation: { text } } }, { source: jobs.media.plain }));

  it('an annotation has its configured position and colour', async () => {
    const plain = await readPixels(jobs.media.plain);
    const at = async (gravity: 'North' | 'SouthEast') => {
      const settings = { annotation: { text: 'M', gravity, fill: '#00ff00', pointSize: 30, relative: 10 } };
      return await readPixels(await jobs.make('png', { source: PLAIN, settings }, { source: jobs.media.plain }));
    };
    const [north, southEast] = [await at('North'), await at('SouthEast')];
    expect(north.differenceFrom(plain)?.bottom).toBeLessThan(60);
    expect(southEast.differenceFrom(plain)).toMatchObject({ right: expect.closeTo(387, -1) });
    const { left = 0, top = 0 } = southEast.differenceFrom(plain) ?? {};
    expect(southEast.at(left + 1, top + 2)).toEqual([0, 255, 0]);
  });

  it('a watermark has its configured gravity and width', async () => {
    const settings = { watermark: { mediaContainerId: 1, gravity: 'NorthEast', widthFactor: 25 } } as const;
    const request: Change = { source: PLAIN, settings, watermark: { fileExtension: 'png' } };
    const file = await jobs.make('png', request, { source: jobs.media.plain, watermark: jobs.media.mark });
    expect((await readPixels(file)).differenceFrom(await readPixels(jobs.media.plain))).toEqual({
      left: 292,
      top: 8,
      right: 391,
      bottom: 57,
    });
  });

  it('text that looks like an escape, a file or an option is drawn literally', async () => {
    writeFileSync(path.join(jobs.folder, 'secret'), 'SECRET');
    const plain = await readPixels(jobs.media.plain);
    for (const [text, meant] of [
      ['%w', '400'],
      [`@${jobs.folder}/secret`, 'SECRET'],
      ['&lt;', '<'],
      ['a\\nb', 'a\nb'],
    ] as const) {
      const pixels = await annotated(text);
      expect(pixels.differenceFrom(await annotated(meant))).not.toBeNull();
      expect(pixels.differenceFrom(plain)?.top).toBeGreaterThan(260);
    }
    for (const text of ['-fill red', "'; rm -rf /", 'label:@secret', '[0]%[exif:*]', '"$(id)"', '\u202eüñ😀']) {
      const pixels = await annotated(text);
      expect([pixels.width, pixels.height]).toEqual([400, 300]);
      expect(pixels.differenceFrom(plain)?.top).toBeGreaterThan(260);
    }
  });
});
