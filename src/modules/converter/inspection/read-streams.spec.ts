import { describe, expect, it } from '@jest/globals';
import { parseProbe } from '../../formats/index.js';
import { readStreams } from './read-streams.js';

const probe = {
  format: {
    filename: 'file:source',
    format_name: 'mov,mp4',
    duration: '60.04',
    tags: { title: 'Talk', location: '+48.1+011.5/', artist: 'Ann' },
  },
  streams: [
    {
      ...{ index: 0, codec_type: 'video', codec_name: 'h264', width: 1920, height: 1080, avg_frame_rate: '25/1', r_frame_rate: '25/1' },
      ...{
        disposition: { default: 1, dub: 0 },
        tags: { language: 'und' },
        side_data_list: [{ side_data_type: 'Display Matrix', rotation: -90 }],
      },
    },
    { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2, tags: { language: 'ger', title: 'x'.repeat(300), serial: '4711' } },
  ],
  chapters: [{ id: 1, start_time: '0.000000', end_time: '1.500000', tags: { title: 'One\0\ud800' } }],
};

describe('the streams of a file', () => {
  it('are described without what tells who made it and where', () => {
    const text = JSON.stringify(readStreams(JSON.stringify(probe)));
    expect(JSON.parse(text)).toMatchObject({
      format: { format_name: 'mov,mp4', duration: '60.04', tags: { title: 'Talk', artist: 'Ann' } },
      streams: [{ codec_name: 'h264', disposition: { default: 1 } }, { tags: { language: 'ger', title: 'x'.repeat(200) } }],
      chapters: [{ start_time: '0.000000', end_time: '1.500000', tags: { title: 'One\ufffd' } }],
    });
    for (const secret of ['source', '+48', '4711', 'dub']) expect(text).not.toContain(secret);
  });

  it('say the same to the converter as the whole output', () => {
    const short = { ...probe, streams: probe.streams.map((stream) => ({ ...stream, tags: { language: 'ger', title: 'Main' } })) };
    expect(parseProbe(JSON.stringify(readStreams(JSON.stringify(short))))).toEqual({
      ...parseProbe(JSON.stringify(short)),
      titles: { title: 'Talk', artist: 'Ann' },
    });
  });

  it('are limited', () => {
    const many = {
      streams: Array.from({ length: 5_000 }, () => probe.streams[0]),
      chapters: Array.from({ length: 5_000 }, () => probe.chapters[0]),
    };
    const { streams, chapters } = readStreams(JSON.stringify(many)) ?? {};
    expect([streams?.length, chapters?.length]).toEqual([256, 1_000]);
  });

  it('are null if there is neither picture nor sound', () => {
    expect(readStreams('{}')).toBeNull();
    expect(readStreams(JSON.stringify({ streams: [{ codec_type: 'subtitle' }] }))).toBeNull();
  });
});
