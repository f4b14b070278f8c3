import { sayLength } from './damaged-films.js';
import { lavfi, tone } from './films.js';
import { type Recipe, SECRETS, TAGS } from './make-file.js';

/** A recording, and what its renditions must be. */
export interface CorpusSound extends Recipe {
  readonly seconds: number;
  /** The title that its renditions have; absent: not looked at. */
  readonly title?: string;
}

/** The tag at the end of an MP3 (ID3v1), which states no encoding: a title of up to 30 bytes. */
const withTitle = (title: Buffer) => (mp3: Buffer) => Buffer.concat([mp3, Buffer.from('TAG'), title, Buffer.alloc(125 - title.length)]);

/** Six channels with different noise, as in a film: speech in the middle is the loudest. */
const SURROUND = lavfi(
  `${[0.1, 0.1, 0.2, 0.02, 0.08, 0.08].map((level, index) => `anoisesrc=c=pink:a=${level}:r=48000:d=3:seed=${index + 1}[c${index}]`).join(';')};[c0][c1][c2][c3][c4][c5]join=inputs=6:channel_layout=5.1`,
);

export const SOUNDS: readonly CorpusSound[] = [
  { name: 'six channels in FLAC', extension: 'flac', runs: [[...SURROUND, '-c:a', 'flac', '{file}']], seconds: 3 },
  { name: 'six channels in PCM', extension: 'wav', runs: [[...SURROUND, '-c:a', 'pcm_s16le', '{file}']], seconds: 3 },
  {
    name: 'one channel',
    extension: 'wav',
    runs: [[...lavfi('anoisesrc=c=pink:a=0.3:r=48000:d=3:seed=7'), '-c:a', 'pcm_s16le', '{file}']],
    seconds: 3,
  },
  ...['mp3', 'm4a'].map((extension) => ({
    name: `an audio book with chapters (${extension})`,
    extension,
    runs: [[...tone(3), '-i', '{chapters}', '-map', '0:a', '-map_metadata', '1', '-map_chapters', '1', '-ac', '2', '{file}']],
    seconds: 3,
  })),
  {
    name: 'a memo that says where it was recorded',
    extension: 'm4a',
    runs: [[...tone(3), ...TAGS, '-c:a', 'aac', '{file}']],
    seconds: 3,
    secrets: SECRETS,
  },
  {
    name: 'a song with its cover',
    extension: 'mp3',
    runs: [
      [
        ...tone(3),
        ...lavfi('color=c=red:s=64x64:d=0.04'),
        '-map',
        '0:a',
        '-map',
        '1:v',
        '-c:v',
        'mjpeg',
        '-disposition:v',
        'attached_pic',
        '{file}',
      ],
    ],
    seconds: 3,
  },
  {
    name: 'a recording whose length is not stated, loud at first and then silent',
    extension: 'mp3',
    runs: [[...lavfi('anoisesrc=r=48000:a=0.5:d=1,apad=pad_dur=7'), '-ac', '2', '-q:a', '2', '-write_xing', '0', '{file}']],
    seconds: 8,
  },
  ...[
    { title: 'Чайка над гаванью', bytes: Buffer.from('d7e0e9eae020ede0e420e3e0e2e0edfcfe', 'hex') },
    { title: 'Ça ira', bytes: Buffer.from('Ça ira', 'latin1') },
  ].map(({ title, bytes }) => ({
    ...{ name: `a song of another time, called ${title}`, extension: 'mp3', seconds: 3, title, change: withTitle(bytes) },
    runs: [[...tone(3), '-ac', '2', '-id3v2_version', '0', '{file}']],
  })),
  {
    name: 'a sound of a film in DTS',
    extension: 'dts',
    seconds: 3,
    runs: [[...tone(3), '-ac', '2', '-c:a', 'dca', '-strict', '-2', '{file}']],
  },
  {
    name: 'a recording that says it lasts an hour',
    extension: 'mka',
    runs: [[...tone(3), '{file}']],
    seconds: 3,
    change: sayLength(3_600),
  },
];
