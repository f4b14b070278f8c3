import { type Fields, MalformedFile } from './mp4-boxes.js';

/** Bytes of a sample entry before its boxes (ISO/IEC 14496-12 section 12). */
const ENTRY_BYTES = { avc1: 78, mp4a: 28 } as const;

/** The codec of a track in the notation of RFC 6381, from its sample descriptions (`stsd`): `avc1.64001f`, `mp4a.40.2`. */
export function readCodec(descriptions: Fields): string {
  const [[type, entry] = []] = [descriptions.boxes(8)[0]];
  if (type === 'avc1' && entry) return `avc1.${readAvcProfile(entry.from(ENTRY_BYTES.avc1).one('avcC'))}`;
  if (type === 'mp4a' && entry) return `mp4a.${readAudioObject(entry.from(ENTRY_BYTES.mp4a).one('esds'))}`;
  throw new MalformedFile(`it has a track of another codec (${JSON.stringify(type ?? 'none')})`);
}

/** Profile, constraints and level as hexadecimal digits (ISO/IEC 14496-15 section 5.3.3). */
const readAvcProfile = (configuration: Fields): string => configuration.number(1, 3).toString(16).padStart(6, '0');

/** Tags of descriptors (ISO/IEC 14496-1 section 7.2.2). */
const ELEMENTARY_STREAM = 3;
const DECODER_CONFIGURATION = 4;
const DECODER_SPECIFIC = 5;
/** The object type of MPEG-4 audio (ISO/IEC 14496-3). */
const MPEG4_AUDIO = 0x40;

/** The object type and, for MPEG-4 audio, the audio object type: `40.2`. */
function readAudioObject(esds: Fields): string {
  const stream = descriptor(esds.from(4), ELEMENTARY_STREAM);
  const flags = stream.number(2, 1);
  const url = 3 + (flags & 0x80 ? 2 : 0);
  const clock = url + (flags & 0x40 ? 1 + stream.number(url, 1) : 0);
  const decoder = descriptor(stream.from(clock + (flags & 0x20 ? 2 : 0)), DECODER_CONFIGURATION);
  const type = decoder.number(0, 1);
  if (type !== MPEG4_AUDIO) return type.toString(16).padStart(2, '0');
  const specific = descriptor(decoder.from(13), DECODER_SPECIFIC);
  const short = specific.number(0, 1) >> 3;
  return `40.${short === 31 ? 32 + ((specific.number(0, 2) >> 5) & 0x3f) : short}`;
}

/** The content of the descriptor at the beginning of `fields`. Its length is encoded in up to four bytes of seven bits each. */
function descriptor(fields: Fields, tag: number): Fields {
  if (fields.number(0, 1) !== tag) throw new MalformedFile('its description of the sound cannot be read');
  let bytes = 1;
  while (bytes < 4 && fields.number(bytes, 1) & 0x80) bytes += 1;
  return fields.from(bytes + 1);
}
