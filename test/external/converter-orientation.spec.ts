import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';

const stage = useExecutionStage();
const BLUEPRINTS = ['h264-720p', 'video-preview', 'video-poster'] as const;

/** A film of one second: how it is stored, and how it is shown. */
const FILMS: Readonly<Record<string, { size: string; vf?: string; rotate?: string }>> = {
  landscape: { size: '1920x1080' },
  portrait: { size: '1080x1920' },
  turned: { size: '1920x1080', rotate: '90' },
  upsideDown: { size: '1920x1080', rotate: '180' },
  square: { size: '1000x1000' },
  odd: { size: '721x1281' },
  small: { size: '200x320' },
  anamorphic: { size: '720x576', vf: 'setsar=64/45' },
  halfD1: { size: '352x576', vf: 'setsar=24/11' },
  anamorphicTurned: { size: '1440x1080', vf: 'setsar=4/3', rotate: '270' },
};

const fileOf = (film: string) => path.join(stage.folder, `${film}.mp4`);
beforeAll(async () => {
  const ffmpeg = async (...argv: string[]) => await run(stage.folder, 'ffmpeg', ['-v', 'error', '-y', ...argv]);
  for (const [name, { size, vf, rotate }] of Object.entries(FILMS)) {
    const drawn = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=1`, ...(vf ? ['-vf', vf] : [])];
    const stored = rotate ? `${name}-stored.mp4` : fileOf(name);
    await ffmpeg(...drawn, '-c:v', 'libx264', '-pix_fmt', 'yuv444p', '-preset', 'ultrafast', stored);
    if (rotate) await ffmpeg('-i', stored, '-c', 'copy', '-metadata:s:v:0', `rotate=${rotate}`, fileOf(name));
  }
});

/** Width and height as stored, and the ratio in which a player shows them. */
async function shown(file: string): Promise<{ size: string; ratio: number }> {
  const fields = ['stream=width,height,sample_aspect_ratio:stream_side_data=rotation'];
  const probed = await run(stage.folder, 'ffprobe', [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-of',
    'json',
    '-show_entries',
    ...fields,
    file,
  ]);
  const [{ width, height, sample_aspect_ratio = '1:1', side_data_list }] = JSON.parse(probed).streams;
  expect(side_data_list).toBeUndefined(); // it is turned itself, not by metadata
  const [over, under] = sample_aspect_ratio.split(':').map(Number);
  return { size: `${width}x${height}`, ratio: (width / height) * (over > 0 ? over / under : 1) };
}

describe('the size of renditions of a film', () => {
  it.each([
    ['landscape', 16 / 9, '1280x720', '640x360', '1280x720'],
    ['portrait', 9 / 16, '720x1280', '360x640', '720x1280'],
    ['turned', 9 / 16, '720x1280', '360x640', '720x1280'],
    ['upsideDown', 16 / 9, '1280x720', '640x360', '1280x720'],
    ['square', 1, '720x720', '360x360', '720x720'],
    ['odd', 721 / 1281, '720x1280', '360x640', '720x1280'],
    ['small', 200 / 320, '200x320', '200x320', '200x320'],
    ['anamorphic', 16 / 9, '1024x576', '640x360', '1024x576'],
    ['halfD1', 4 / 3, '768x576', '480x360', '768x576'],
    ['anamorphicTurned', 9 / 16, '720x1280', '360x640', '720x1280'],
  ])('that is %s keeps its orientation and its ratio', async (film, ratio, ...sizes) => {
    const placed = await stage.upload({ file: fileOf(film) });
    const sizeOf = async (key: string): Promise<string> => {
      const { file, rendition } = await stage.make(placed, await stage.blueprint(key));
      const { size, ratio: seen } = await shown(file);
      expect(seen).toBeCloseTo(ratio, 2);
      expect(`${rendition.facts.width}x${rendition.facts.height}`).toBe(size);
      return size;
    };
    expect(await Promise.all(BLUEPRINTS.map(sizeOf))).toEqual(sizes);
  });

  it.each([
    [{ height: 360 }, '640x360', '360x640'],
    [{ width: 640 }, '640x360', '360x640'],
    [{ width: 360, height: 640 }, '640x360', '360x640'],
  ])('is bounded by %j in either orientation', async (parameters, landscape, portrait) => {
    const command = { 'c:v': 'libx264', preset: 'ultrafast', ...parameters };
    const id = await stage.format('ffmpeg', { mediaTypes: ['video'], filetype: 'mp4', parameters: command });
    expect((await shown((await stage.make({ file: fileOf('landscape') }, id)).file)).size).toBe(landscape);
    expect((await shown((await stage.make({ file: fileOf('turned') }, id)).file)).size).toBe(portrait);
  });
});
