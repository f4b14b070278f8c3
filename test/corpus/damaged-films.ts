import { AAC, type CorpusFilm, lavfi, picture, tone, WIDE, X264 } from './films.js';
import { cutOff, type RefusedFile, SECRETS, TAGS } from './make-file.js';

const film = [...picture(3), ...tone(3), ...X264, ...AAC];
const shortFilm = [...picture(2), ...tone(2), ...X264, ...AAC];
/** Changes the duration in the header of a Matroska file (RFC 9559, section 5.1.2.10): a float of eight bytes, in milliseconds. */
export const sayLength =
  (seconds: number) =>
  (bytes: Buffer): Buffer => {
    bytes.writeDoubleBE(seconds * 1_000, bytes.indexOf(Buffer.from('448988', 'hex')) + 3);
    return bytes;
  };
/** Changes where the entries of the index of an AVI say that their chunks begin, and how long these are. */
const indexAvi =
  (change: (place: number, length: number) => readonly [place: number, length: number]) =>
  (avi: Buffer): Buffer => {
    const index = avi.lastIndexOf('idx1');
    for (let at = index + 8; at + 16 <= index + 8 + avi.readUInt32LE(index + 4); at += 16) {
      const [place, length] = change(avi.readUInt32LE(at + 8), avi.readUInt32LE(at + 12));
      avi.writeUInt32LE(place, at + 8);
      avi.writeUInt32LE(length, at + 12);
    }
    return avi;
  };
const backwards = (avi: Buffer): Buffer => {
  const start = avi.lastIndexOf('idx1') + 8;
  const entries = Array.from({ length: avi.readUInt32LE(start - 4) / 16 }, (_, entry) =>
    Buffer.from(avi.subarray(start + 16 * entry, start + 16 * entry + 16)),
  );
  Buffer.concat(entries.reverse()).copy(avi, start);
  return avi;
};
const indexed = (name: string, change: (avi: Buffer) => Buffer): CorpusFilm => ({
  ...{ name: `an old film whose index ${name}`, extension: 'avi', seconds: 2, aspect: WIDE, change },
  runs: [[...picture(2), ...tone(2), '-c:v', 'mpeg4', '-c:a', 'pcm_s16le', '{file}']],
});

const SUBTITLES = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

/** Films whose index names other places than those of their pictures. */
export const MISINDEXED_FILMS: readonly CorpusFilm[] = [
  indexed(
    'names places behind the end',
    indexAvi((_, length) => [0xff_ff_ff_f0, length]),
  ),
  indexed(
    'names one place for all chunks',
    indexAvi((_, length) => [0, length]),
  ),
  indexed(
    'states lengths that no file has',
    indexAvi((place) => [place, 0xff_ff_ff_f0]),
  ),
  indexed('is in the wrong order', backwards),
  indexed('is missing', (avi) => avi.subarray(0, avi.lastIndexOf('idx1'))),
];

/** Films of which a part is missing, or that contain more than sound and picture. */
export const DAMAGED_FILMS: readonly CorpusFilm[] = [
  { name: 'a recording that was cut off', extension: 'mkv', runs: [[...film, '{file}']], aspect: WIDE, change: cutOff(0.6) },
  { name: 'a broadcast that was cut off', extension: 'ts', runs: [[...film, '{file}']], aspect: WIDE, change: cutOff(0.6) },
  {
    ...{ name: 'a download that was cut off', extension: 'mp4', aspect: WIDE, change: cutOff(0.6) },
    runs: [[...film, '-movflags', '+faststart', '{file}']],
  },
  {
    ...{ name: 'a recording in fragments that was cut off', extension: 'mp4', aspect: WIDE, change: cutOff(0.6) },
    runs: [[...film, '-g', '25', '-movflags', '+frag_keyframe+empty_moov', '{file}']],
  },
  ...[3_600, 1, 1e15].map((length) => ({
    ...{ name: `a film that says it lasts ${length} seconds`, extension: 'mkv', seconds: 2, aspect: WIDE, change: sayLength(length) },
    runs: [[...shortFilm, '{file}']],
  })),
  ...MISINDEXED_FILMS,
  {
    ...{ name: 'a film with subtitles and their font', extension: 'mkv', seconds: 3, aspect: WIDE, content: SUBTITLES, secrets: SECRETS },
    runs: [
      [
        ...[...picture(3), ...tone(3), '-f', 'srt', '-i', '{0}', '-map', '0', '-map', '1', '-map', '2', ...X264, ...AAC, '-c:s', 'ass'],
        ...['-attach', '{chapters}', '-metadata:s:t', 'mimetype=application/x-truetype-font', ...TAGS, '{file}'],
      ],
    ],
  },
  {
    ...{ name: 'a film of an editor with its timecode', extension: 'mov', seconds: 3, aspect: WIDE },
    runs: [[...film, '-timecode', '10:00:00:00', '{file}']],
  },
  {
    ...{ name: 'a film of odd sides', extension: 'mkv', seconds: 1, aspect: 4 / 3, hasSound: false },
    runs: [[...picture(1, '321x241'), '-c:v', 'ffv1', '-pix_fmt', 'bgr0', '{file}']],
  },
  {
    ...{ name: 'a film that was filmed upright', extension: 'mp4', seconds: 1, aspect: 1 / WIDE, hasSound: false },
    runs: [
      [...picture(1), ...X264, '{0}.mp4'],
      ['-i', '{0}.mp4', '-c', 'copy', '-metadata:s:v', 'rotate=90', '{file}'],
    ],
  },
  {
    ...{ name: 'a film of ten bits', extension: 'mp4', seconds: 1, aspect: 4 / 3, hasSound: false },
    runs: [[...lavfi('testsrc2=s=320x240:r=25:d=1'), ...X264, '-pix_fmt', 'yuv422p10le', '{file}']],
  },
];

/** Films that cannot be read. */
export const REFUSED_FILMS: readonly RefusedFile[] = [
  {
    name: 'a film without its index',
    extension: 'mp4',
    runs: [[...film, '{file}']],
    change: cutOff(0.6),
    reason: /damaged.*Upload it again/,
  },
  { name: 'a film without bytes', extension: 'mp4', content: '', reason: /is empty\. Upload it again/ },
];
