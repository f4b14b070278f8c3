import { expect, it } from '@jest/globals';
import { writeCues } from './storyboards.service.js';

it('maps each interval to its tile, row by row', () => {
  const storyboard = { intervalSeconds: 10, pictures: 12, columns: 10, rows: 2 };
  const cues = writeCues({ storyboard, width: 1600, height: 180 }, 'storyboard/7.jpg').split('\n\n');
  expect(cues).toHaveLength(13);
  expect([cues[0], cues[1], cues[2], cues[11], cues[12]]).toEqual([
    'WEBVTT',
    '00:00:00.000 --> 00:00:10.000\nstoryboard/7.jpg#xywh=0,0,160,90',
    '00:00:10.000 --> 00:00:20.000\nstoryboard/7.jpg#xywh=160,0,160,90',
    '00:01:40.000 --> 00:01:50.000\nstoryboard/7.jpg#xywh=0,90,160,90',
    '00:01:50.000 --> 00:02:00.000\nstoryboard/7.jpg#xywh=160,90,160,90\n',
  ]);
});

it('writes hours', () => {
  const storyboard = { intervalSeconds: 3_700, pictures: 2, columns: 2, rows: 1 };
  expect(writeCues({ storyboard, width: 180, height: 160 }, 'x')).toBe(
    'WEBVTT\n\n00:00:00.000 --> 01:01:40.000\nx#xywh=0,0,90,160\n\n01:01:40.000 --> 02:03:20.000\nx#xywh=90,0,90,160\n',
  );
});
