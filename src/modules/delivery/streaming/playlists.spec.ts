import { describe, expect, it } from '@jest/globals';
import { type PlaylistTrack, type Variant, writeMasterPlaylist } from './master-playlist.js';
import { writeMediaPlaylist, writeTrackPlaylist } from './media-playlist.js';

const film: Variant = {
  ...{ codecs: 'avc1.64001f,mp4a.40.2', bandwidth: 2_000_000, averageBandwidth: 1_500_000, frameRate: 30_000 / 1_001, segments: 3 },
  ...{ uri: 'media/7.m3u8', width: 1_280, height: 720 },
};
const track: PlaylistTrack = { uri: 'media/9.m3u8', role: 'subtitles', language: 'de', label: 'Deutsch', isOn: false };
const linesOf = (playlist: string, tag: string) => playlist.split('\n').filter((line) => line.startsWith(`#${tag}:`));

describe('a master playlist', () => {
  it('states what players choose by', () => {
    expect(writeMasterPlaylist([film], [])).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,CLOSED-CAPTIONS=NONE
media/7.m3u8
`);
  });

  it('leaves out what is not known', () => {
    const [line = ''] = linesOf(writeMasterPlaylist([{ ...film, width: null }], [{ ...track, language: null }]), 'EXT-X-STREAM-INF');
    expect(line).not.toContain('RESOLUTION');
    expect(linesOf(writeMasterPlaylist([film], [{ ...track, language: null }]), 'EXT-X-MEDIA')[0]).not.toContain('LANGUAGE');
  });

  it('tells captions from subtitles, and which track is on', () => {
    const [subtitles = '', captions = ''] = linesOf(
      writeMasterPlaylist([film], [track, { ...track, role: 'captions', label: 'Deutsch (Untertitel)', isOn: true }]),
      'EXT-X-MEDIA',
    );
    expect(subtitles).toBe(
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="texts",NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="media/9.m3u8"',
    );
    expect(captions).toContain('DEFAULT=YES,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,');
  });

  it.each([
    ['a "quoted" name', 'a ”quoted” name'],
    ['two\r\n#EXT-X-ENDLIST\nlines', 'two #EXT-X-ENDLIST lines'],
    ['nul \u0000 and \u2028 separator', 'nul   and   separator'],
    ['<script>, a=b', '<script>, a=b'],
  ])('keeps the label %j inside of its attribute', (label, written) => {
    const lines = linesOf(writeMasterPlaylist([film], [{ ...track, label }]), 'EXT-X-MEDIA');
    expect(lines).toEqual([expect.stringContaining(`,NAME="${written}",LANGUAGE="de",`)]);
  });

  it('gives every track of a group a name of its own', () => {
    const names = (labels: string[]) =>
      linesOf(
        writeMasterPlaylist(
          [film],
          labels.map((label) => ({ ...track, label })),
        ),
        'EXT-X-MEDIA',
      ).map((line) => /NAME="([^"]*)"/.exec(line)?.[1]);
    expect(names(['Deutsch', 'Deutsch', 'Deutsch (2)', 'Deutsch'])).toEqual(['Deutsch', 'Deutsch (2)', 'Deutsch (2) (2)', 'Deutsch (3)']);
  });
});

describe('a media playlist', () => {
  it('names the places of the header and of the first segment; the others follow', () => {
    const index = { headerBytes: 800, segmentBytes: [2_000, 1_000], segmentMs: [4_004, 501] };
    expect(writeMediaPlaylist({ ...index, uri: '7.mp4' })).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="7.mp4",BYTERANGE="800@0"
#EXTINF:4.004,
#EXT-X-BYTERANGE:2000@800
7.mp4
#EXTINF:0.501,
#EXT-X-BYTERANGE:1000
7.mp4
#EXT-X-ENDLIST
`);
  });

  it('has a target duration that no segment exceeds when rounded, of at least a second', () => {
    const target = (ms: number) => Number(/TARGETDURATION:(\d+)/.exec(writeTrackPlaylist('9.vtt', ms))?.[1]);
    expect([1, 499, 4_499, 4_500, 10_800_000].map(target)).toEqual([1, 1, 4, 5, 10_800]);
  });
});
