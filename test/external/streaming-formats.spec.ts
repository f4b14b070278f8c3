import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createFile, type ISOFile, MP4BoxBuffer } from 'mp4box';
import { type MadeRendition, useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';

const stage = useExecutionStage();
afterEach(() => expect(stage.leftovers()).toEqual([]));

const lavfi = (source: string) => ['-f', 'lavfi', '-i', source];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** A file that ffmpeg draws. */
async function draw(name: string, ...argv: readonly string[]): Promise<string> {
  const file = path.join(stage.folder, name);
  await run(stage.folder, 'ffmpeg', ['-v', 'error', '-y', ...argv, file]);
  return file;
}

const make = async (file: string, key: string) =>
  await stage.make(
    { file, fileExtension: path.extname(file).slice(1) },
    await stage.blueprint(key, { parameters: { preset: 'veryfast' } }),
  );
const outcomeOf = async (file: string, key: string) => (await stage.run(await stage.place({ file }), await stage.blueprint(key))).outcome;

/** What another reader of MP4 (mp4box) finds in a file: the times at which the fragments of its first track begin, in seconds. */
interface Boxes {
  readonly brands: readonly string[];
  readonly codecs: string;
  readonly starts: readonly number[];
  /** Whether each of these fragments begins with a frame from which decoding can begin. */
  readonly isEntry: readonly boolean[];
  /** Positions at which fragments begin and end. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

async function boxesOf(file: string): Promise<Boxes> {
  const bytes = await readFile(file);
  const iso: ISOFile = createFile();
  iso.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(bytes).buffer, 0), true);
  const { brands, tracks } = iso.getInfo();
  const sorted = tracks.toSorted((one, other) => Number(other.type === 'video') - Number(one.type === 'video'));
  const [first] = sorted;
  const samples = iso.getTrackSamplesInfo(first?.id ?? 0);
  const moofs = iso.boxes.filter(({ type }) => type === 'moof');
  const parts = moofs.map((_, index) => samples.find((sample) => sample.moof_number === index + 1));
  return {
    brands,
    codecs: sorted.map(({ codec }) => codec).join(','),
    starts: parts.map((sample) => (sample ? sample.dts / sample.timescale : Number.NaN)),
    isEntry: parts.map((sample) => sample?.is_sync ?? false),
    ranges: moofs.map((moof) => {
      const data = iso.boxes[iso.boxes.indexOf(moof) + 1];
      return [moof.start ?? 0, (data?.start ?? 0) + (data?.size ?? 0)] as const;
    }),
  };
}

/** Times of the key frames on the screen, as ffprobe reads them. */
async function keyFramesOf(file: string): Promise<number[]> {
  const asked = ['-v', 'error', '-select_streams', 'v', '-skip_frame', 'nokey', '-show_entries', 'frame=pts_time', '-of', 'csv=p=0', file];
  return (await run(stage.folder, 'ffprobe', asked))
    .trim()
    .split(/[\s,]+/)
    .map(Number);
}

const streamingOf = ({ rendition: { streaming } }: MadeRendition) => {
  if (!streaming) throw new Error('It is no streaming rendition.');
  return streaming;
};

/** Makes rungs of a film, and checks that a player can change between them at every segment. */
async function makeLadder(file: string, ...keys: readonly string[]) {
  const rungs: { readonly made: MadeRendition; readonly boxes: Boxes; readonly keyFrames: readonly number[] }[] = [];
  for (const key of keys) {
    const made = await make(file, key);
    rungs.push({ made, boxes: await boxesOf(made.file), keyFrames: await keyFramesOf(made.file) });
  }
  for (const { made, boxes, keyFrames } of rungs) {
    const { facts, index } = streamingOf(made);
    expect(boxes.starts).toEqual(rungs[0]?.boxes.starts);
    expect(keyFrames).toEqual(rungs[0]?.keyFrames);
    expect(boxes.isEntry).not.toContain(false);
    expect(facts.codecs).toBe(boxes.codecs);
    expect(facts.segments).toBe(boxes.starts.length);
    const ends = index.segmentBytes.map((_, n) => index.segmentBytes.slice(0, n + 1).reduce((sum, one) => sum + one, index.headerBytes));
    expect(ends).toEqual(boxes.ranges.map(([, end]) => end));
    expect(index.segmentMs.slice(0, -1)).toEqual(
      boxes.starts.slice(1).map((start, n) => Math.round(start * 1_000) - Math.round((boxes.starts[n] ?? 0) * 1_000)),
    );
  }
  return rungs;
}

const inspect = async (file: string, section: string, ...fields: string[]) =>
  (await run(stage.folder, 'mediainfo', [`--Inform=${section};${fields.map((field) => `%${field}%`).join('|')}`, file])).trim().split('|');

describe('the rungs of a film', () => {
  it('of 400 lines are 480p with 400 lines and the smaller ones; larger ones are skipped', async () => {
    const sources = [...lavfi('testsrc2=s=640x400:r=25:d=10.5'), ...lavfi('sine=f=440:d=10.5')];
    const file = await draw('film.mp4', ...sources, ...X264, '-bf', '3', '-c:a', 'aac');
    for (const key of ['streaming-1080p', 'streaming-720p']) {
      expect(await outcomeOf(file, key)).toMatchObject({
        kind: 'skipped',
        reason: expect.stringContaining('400 lines'),
        source: { facts: { width: 640 } },
      });
    }
    const [largest, middle, smallest] = await makeLadder(file, 'streaming-480p', 'streaming-360p', 'streaming-240p');
    expect([largest, middle, smallest].map((rung) => rung?.made.rendition.facts)).toMatchObject([
      { width: 640, height: 400 },
      { width: 576, height: 360 },
      { width: 384, height: 240 },
    ]);
    if (!largest) throw new Error('There is no rung.');
    const { facts, index } = streamingOf(largest.made);
    expect(largest.boxes.brands).toContain('cmfc');
    expect(largest.boxes.starts).toEqual([0, 4, 8]);
    expect(largest.keyFrames).toEqual([0, 2, 4, 6, 8, 10]);
    expect(facts).toMatchObject({ codecs: expect.stringMatching(/^avc1\.6400[0-9a-f]{2},mp4a\.40\.2$/), frameRate: 25, segments: 3 });
    expect(index.segmentMs.slice(0, 2)).toEqual([4_000, 4_000]);
    expect(facts.bandwidth).toBe(Math.max(...index.segmentBytes.map((bytes, n) => Math.ceil((bytes * 8_000) / (index.segmentMs[n] ?? 1)))));
    expect(facts.averageBandwidth).toBeLessThanOrEqual(facts.bandwidth);
    // A reader that knows nothing of our index: average bit rate, profile, and a length that is known without the whole file.
    const [rate, duration] = await inspect(largest.made.file, 'General', 'OverallBitRate', 'Duration');
    expect(Number(rate) / facts.averageBandwidth).toBeCloseTo(1, 1);
    expect(Number(duration) / 10_500).toBeCloseTo(1, 1);
    expect(await inspect(largest.made.file, 'Video', 'Format', 'FrameRate', 'ScanType')).toEqual(['AVC', '25.000', 'Progressive']);
  });

  it('filmed upright in odd sizes at 29.97 pictures, whose picture begins later than its sound', async () => {
    const picture = ['-itsoffset', '1.5', ...lavfi('testsrc2=s=406x302:r=30000/1001:d=6,crop=405:301,format=rgb24')];
    const lying = await draw('lying.mov', ...picture, ...lavfi('sine=d=9'), '-c:v', 'png', '-c:a', 'aac');
    const file = await draw('upright.mov', '-i', lying, '-c', 'copy', '-metadata:s:v', 'rotate=90');
    const [largest, smallest] = await makeLadder(file, 'streaming-360p', 'streaming-240p');
    expect([largest, smallest].map((rung) => rung?.made.rendition.facts)).toMatchObject([
      { width: 300, height: 404 },
      { width: 240, height: 322 },
    ]);
    expect(largest?.keyFrames.slice(0, 3)).toEqual([0, 2.002, 4.004]);
    expect(largest && streamingOf(largest.made).facts.frameRate).toBe(29.97);
  });

  it('of a variable frame rate, with a long still and six channels', async () => {
    const moving = "select='lt(t,1)+between(t,5,6)+gt(t,8)*not(mod(n,3))'";
    const sources = [...lavfi('testsrc2=s=480x270:r=30:d=9'), ...lavfi('anoisesrc=d=9:a=0.1,aformat=channel_layouts=5.1')];
    const file = await draw('vfr.mkv', ...sources, '-vf', moving, '-fps_mode', 'vfr', ...X264, '-c:a', 'ac3');
    const [largest] = await makeLadder(file, 'streaming-360p', 'streaming-240p');
    expect(largest?.keyFrames).toEqual([0, 2, 4, 6, 8]);
    expect(await inspect(largest?.made.file ?? '', 'Audio', 'Channels', 'SamplingRate')).toEqual(['2', '48000']);
  });

  it('of 120 pictures a second have 60; without sound they have none', async () => {
    const file = await draw('fast.mp4', ...lavfi('testsrc2=s=320x240:r=120:d=5'), ...X264);
    const [only] = await makeLadder(file, 'streaming-240p');
    expect(only && streamingOf(only.made).facts).toMatchObject({ frameRate: 60, codecs: expect.not.stringContaining('mp4a'), segments: 2 });
    expect(await outcomeOf(file, 'streaming-audio')).toMatchObject({ kind: 'skipped', reason: 'The original has no sound.' });
  });
});

describe('streaming audio', () => {
  it('is made of a film and of a sound, in segments of four seconds', async () => {
    const film = await draw('spoken.mp4', ...lavfi('testsrc2=s=320x240:r=25:d=9'), ...lavfi('sine=d=9'), ...X264, '-c:a', 'aac');
    const sound = await draw('sound.wav', ...lavfi('sine=d=9'), '-ac', '1', '-ar', '44100');
    for (const [file, type] of [
      [film, 'video'],
      [sound, 'audio'],
    ] as const) {
      const original = { file, type, fileExtension: path.extname(file).slice(1) };
      const made = await stage.make(original, await stage.blueprint('streaming-audio'));
      expect(made.rendition).toMatchObject({ type: 'audio', fileExtension: 'm4a', facts: { codec: 'aac', width: null } });
      const { facts, index } = streamingOf(made);
      expect(facts).toMatchObject({ codecs: 'mp4a.40.2', frameRate: null, segments: 3 });
      expect((await boxesOf(made.file)).codecs).toBe('mp4a.40.2');
      expect(index.segmentMs.slice(0, 2).every((ms) => Math.abs(ms - 4_000) < 25)).toBe(true);
    }
  });
});
