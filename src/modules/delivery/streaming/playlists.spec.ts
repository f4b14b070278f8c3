import { describe, expect, it } from '@jest/globals';
import { type PlaylistSound, type PlaylistTrack, type Variant, writeMasterPlaylist } from './master-playlist.js';
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

  it('lists several sounds, of which players choose neither a commentary nor one of two alike by themselves', () => {
    const sound: PlaylistSound = {
      ...{ uri: 'media/8.m3u8', content: 'main', language: 'de', label: 'Deutsch', isDefault: true },
      ...{ codecs: 'mp4a.40.2', bandwidth: 130_000, averageBandwidth: 128_000 },
    };
    const sounds: PlaylistSound[] = [
      sound,
      { ...sound, label: 'Kino "5.1"\n#EXT-X-ENDLIST', isDefault: false },
      { ...sound, content: 'commentary', language: 'en', isDefault: false },
      { ...sound, content: 'description', language: null, isDefault: false },
    ];
    const silent = { ...film, codecs: 'avc1.64001f' };
    const playlist = writeMasterPlaylist([silent, { ...film, frameRate: null, codecs: 'mp4a.40.2' }], [], sounds);
    const named = (name: string, rest: string) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="${name}",${rest}URI="media/8.m3u8"`;
    expect(linesOf(playlist, 'EXT-X-MEDIA')).toEqual([
      named('Deutsch', 'LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,'),
      named('Kino ”5.1” #EXT-X-ENDLIST', 'LANGUAGE="de",DEFAULT=NO,AUTOSELECT=NO,'),
      named('Deutsch (2)', 'LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO,'),
      named('Deutsch (3)', 'DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",'),
    ]);
    const [picture = '', alone = ''] = linesOf(playlist, 'EXT-X-STREAM-INF');
    expect(picture).toContain('BANDWIDTH=2130000,AVERAGE-BANDWIDTH=1628000,CODECS="avc1.64001f,mp4a.40.2"');
    expect(alone).toContain('BANDWIDTH=130000,AVERAGE-BANDWIDTH=128000,CODECS="mp4a.40.2",AUDIO="sound"');
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
