import { describe, expect, it } from '@jest/globals';
import { PacketTimes, parseProbe, pictureRateOf } from './parse-probe.js';

const video = {
  index: 0,
  codec_type: 'video',
  codec_name: 'h264',
  width: 1920,
  height: 1080,
  avg_frame_rate: '25/1',
  r_frame_rate: '25/1',
};
const audio = { index: 1, codec_type: 'audio', codec_name: 'aac', avg_frame_rate: '0/0', r_frame_rate: '0/0' };
const probed = (streams: readonly object[], format: object = { duration: '60.04' }) => parseProbe(JSON.stringify({ streams, format }));

describe('the result of ffprobe', () => {
  it('describes a video with sound', () => {
    expect(probed([video, audio])).toEqual({
      width: 1920,
      height: 1080,
      rotation: 0,
      pixelAspect: null,
      duration: 60.04,
      frameRate: 25,
      baseFrameRate: 25,
      color: null,
      fieldOrder: null,
      isIndexed: true,
      pictureIndex: 0,
      sounds: [{ index: 1, language: null, title: null, channels: null, isDefault: false, content: 'main' }],
      start: 0,
      titles: {},
      videoCodec: 'h264',
      audioCodec: 'aac',
    });
  });

  it.each([
    ['beside the stream', { side_data_list: [{ side_data_type: 'Stereo 3D' }, { rotation: -90 }] }, -90],
    ['in its tags, as older programs write it', { tags: { rotate: '270' } }, 270],
    ['nowhere', { side_data_list: [] }, 0],
    ['as nonsense', { tags: { rotate: 'sideways' } }, 0],
  ])('reads a rotation %s', (_, fields, rotation) => {
    expect(probed([{ ...video, ...fields }]).rotation).toBe(rotation);
  });

  it.each([
    [{ avg_frame_rate: '30000/1001' }, 29.97],
    [{ avg_frame_rate: '0/0', r_frame_rate: '50/1' }, 50],
    [{ avg_frame_rate: '0/0', r_frame_rate: '0/0' }, null],
    [{ avg_frame_rate: '25' }, 25],
  ])('uses of the rates %j the average, otherwise the base rate', (fields, rate) => {
    const { frameRate } = probed([{ ...video, ...fields }]);
    expect(frameRate === null ? null : Number(frameRate.toFixed(2))).toBe(rate);
  });

  it.each([
    ['64:45', 64 / 45],
    ['1:1', null],
    ['0:1', null],
    ['N/A', null],
    [undefined, null],
  ])('reads the pixel aspect %s as %d', (sample_aspect_ratio, pixelAspect) => {
    expect(probed([{ ...video, sample_aspect_ratio }]).pixelAspect).toBe(pixelAspect);
  });

  it.each([
    [{ color_transfer: 'smpte2084', color_primaries: 'bt2020', color_space: 'bt2020nc' }, ['smpte2084', 'bt2020', 'bt2020nc']],
    [{ color_transfer: 'arib-std-b67', color_primaries: 'unknown', color_space: 'x=1,movie' }, ['arib-std-b67', null, null]],
  ])('reads the colours %j', (fields, [transfer, primaries, matrix]) => {
    expect(probed([{ ...video, ...fields }]).color).toEqual({ transfer, primaries, matrix, range: null });
  });

  it('does not treat a cover as the picture of a film', () => {
    const cover = { ...video, codec_name: 'mjpeg', disposition: { attached_pic: 1 } };
    expect(probed([cover, audio])).toMatchObject({ videoCodec: null, width: null, frameRate: null, audioCodec: 'aac' });
    expect(probed([cover, video])).toMatchObject({ videoCodec: 'h264' });
    expect(probed([{ ...cover, disposition: { timed_thumbnails: 1 } }])).toMatchObject({ videoCodec: null });
  });

  it.each([
    ['of the whole', { duration: '2.5' }, { duration: '9' }, 2.5],
    ['of the longest stream', { duration: 'N/A' }, { duration: '9' }, 9],
    ['of a stream in Matroska', {}, { tags: { DURATION: '01:00:02.250000000' } }, 3_602.25],
    ['nowhere', { duration: 'N/A' }, { duration: 'N/A' }, null],
    ['as nothing', { duration: '0.000000' }, {}, null],
  ])('reads a duration %s', (_, format, stream, duration) => {
    expect(probed([{ ...video, ...stream }, audio], format).duration).toBe(duration);
  });

  it('uses the first of several picture and sound streams', () => {
    const second = { ...video, codec_name: 'hevc', width: 640 };
    expect(probed([audio, { ...audio, codec_name: 'mp3' }, video, second])).toMatchObject({
      videoCodec: 'h264',
      width: 1920,
      audioCodec: 'aac',
    });
  });

  it('has no size for a picture that is too large or damaged', () => {
    expect(probed([{ ...video, codec_name: 'png', width: 0, height: 0 }], {})).toMatchObject({ width: null, height: null, duration: null });
  });

  it('is empty for unusable input', () => {
    for (const json of ['{}', '{"streams":null}', '[]', '{"streams":[7],"format":"x"}']) {
      expect(parseProbe(json)).toMatchObject({ videoCodec: null, audioCodec: null, duration: null });
    }
  });
});

describe('the picture rate', () => {
  it.each([
    ['constant', 29.97, 29.97, { average: 29.97, isVariable: false }],
    ['of a film whose last picture is short', 24.9, 25, { average: 24.9, isVariable: false }],
    ['of a film stored in fields', 25, 50, { average: 25, isVariable: false }],
    ['of a telephone in the dark', 23.4, 30, { average: 23.4, isVariable: true }],
    ['of a recording of a screen, whose base is the resolution of its clock', 12, 90_000, { average: 12, isVariable: true }],
    ['of a film whose header states only the average', 25, null, { average: 25, isVariable: false }],
    ['of a sound', null, null, undefined],
  ])('%s', (_, frameRate, baseFrameRate, expected) => expect(pictureRateOf({ frameRate, baseFrameRate })).toEqual(expected));
});

describe('the times of packets', () => {
  it('are those of the first and the last one of each stream, in any order and without what cannot be read', () => {
    const times = new PacketTimes(1.5);
    for (const line of ['1,1.5,0.5', '0,3.5,0.04', '0,2.5,0.04', '1,N/A,1', '0,2.54,N/A', '', 'x']) times.read(line);
    expect(times.all()).toEqual([
      { index: 0, start: 1, end: 2.04 },
      { index: 1, start: 0, end: 0.5 },
    ]);
  });
});
