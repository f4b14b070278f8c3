import { expect, it } from '@jest/globals';
import { toWebVtt } from './subtitles.service.js';

const SRT = '1\r\n00:00:01,000 --> 00:00:04,5\r\nGrüße, Welt\r\n\r\n2\r\n1:00:05,000 --> 1:00:06,000 X1:40\r\n<i>Ende</i>\r\n';

const VTT = `WEBVTT

1
00:00:01.000 --> 00:00:04.500
Grüße, Welt

2
01:00:05.000 --> 01:00:06.000
<i>Ende</i>
`;

it.each([
  ['UTF-8', Buffer.from(SRT)],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${SRT}`)],
  ['UTF-16', Buffer.from(`\ufeff${SRT}`, 'utf16le')],
  ['Windows-1252', Buffer.from(SRT, 'latin1')],
])('makes WebVTT of SubRip in %s', (_, content) => {
  expect(toWebVtt(content)).toBe(VTT);
});

it('keeps WebVTT unchanged, except for line ends', () => {
  expect(toWebVtt(Buffer.from('\ufeffWEBVTT - Talk\r\n\r\n00:01.000 --> 00:02.000\r\nHi, 1,5\r\n'))).toBe(
    'WEBVTT - Talk\n\n00:01.000 --> 00:02.000\nHi, 1,5\n',
  );
});

it('changes no text of a cue', () => {
  expect(toWebVtt(Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nat 10:00,5 sharp\n'))).toContain('at 10:00,5 sharp');
});
