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
const SUBTITLES = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

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
