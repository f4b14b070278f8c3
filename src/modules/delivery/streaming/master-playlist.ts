import type { StreamingFacts } from '../../media/index.js';

/** A rendition that a player can choose. */
export interface Variant extends StreamingFacts {
  /** The address of its media playlist, relative to the master playlist. */
  readonly uri: string;
  /** Pixels; null: it has no picture. */
  readonly width: number | null;
  readonly height: number | null;
}

/** One of several sounds of a film. */
export interface PlaylistSound extends Pick<StreamingFacts, 'codecs' | 'bandwidth' | 'averageBandwidth'> {
  readonly uri: string;
  readonly content: NonNullable<StreamingFacts['sound']>;
  /** BCP 47; null: unknown. */
  readonly language: string | null;
  readonly label: string;
  readonly isDefault: boolean;
}

/** Subtitles or captions. */
export interface PlaylistTrack {
  readonly uri: string;
  readonly role: 'subtitles' | 'captions';
  /** BCP 47; null: unknown. */
  readonly language: string | null;
  readonly label: string;
  /** Whether it is on unless the viewer chooses otherwise. */
  readonly isOn: boolean;
}

/** Values of an attribute list (RFC 8216 section 4.2): numbers and names as they are, texts in quotation marks; null: the attribute is left out. */
type Attributes = Readonly<Record<string, string | number | { readonly quoted: string } | null>>;

const TEXTS = 'texts';
const SOUND = 'sound';

/** What captions contain, in Apple's names (HLS Authoring Specification, section 4). */
const CAPTIONS = 'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound';
const AUDIO_DESCRIPTION = 'public.accessibility.describes-video';

/**
 * Writes the playlist that lists the renditions of a film and its tracks (RFC 8216 section 4.3.4). The segments of a film contain its sound, so its
 * variants belong to no audio group: players that expect the sound elsewhere fail at segments that contain it too. A rendition of the sound alone is
 * a variant for slow connections, and an audio group without an address other than that of its variant. Several `sounds` are an audio group of all
 * variants, whose segments then contain no sound.
 */
export function writeMasterPlaylist(
  variants: readonly Variant[],
  tracks: readonly PlaylistTrack[],
  sounds: readonly PlaylistSound[] = [],
): string {
  const hasSeveral = sounds.length > 0;
  const hasSoundAlone = variants.some(isFilm) && !variants.every(isFilm);
  const SUBTITLES = tracks.length > 0 ? { quoted: TEXTS } : null;
  const captions = variants.some(isFilm) ? 'NONE' : null; // RFC 8216 section 4.3.4.2: NONE for all variants or for none
  const sound = { TYPE: 'AUDIO', 'GROUP-ID': { quoted: SOUND }, NAME: { quoted: 'Sound' }, DEFAULT: 'YES', AUTOSELECT: 'YES' };
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(hasSoundAlone && !hasSeveral ? [attributes('EXT-X-MEDIA', sound)] : []),
    ...namedApart(sounds).map(soundLine),
    ...namedApart(tracks).map(trackLine),
    ...variants.flatMap((variant) => {
      const AUDIO = hasSeveral || (hasSoundAlone && !isFilm(variant)) ? { quoted: SOUND } : null;
      return [variantLine(withSounds(variant, sounds), { AUDIO, SUBTITLES, 'CLOSED-CAPTIONS': captions }), variant.uri];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

const isFilm = ({ frameRate }: Variant): boolean => frameRate !== null;

/** Adds what the largest of the sounds needs to a variant that is played with one of them (RFC 8216 section 4.3.4.2: BANDWIDTH, CODECS). */
function withSounds(variant: Variant, sounds: readonly PlaylistSound[]): Variant {
  const own = isFilm(variant) ? variant : { bandwidth: 0, averageBandwidth: 0, codecs: '' };
  const codecs = new Set([...own.codecs.split(','), ...sounds.flatMap((sound) => sound.codecs.split(','))].filter((codec) => codec !== ''));
  if (sounds.length === 0) return variant;
  return {
    ...variant,
    bandwidth: own.bandwidth + Math.max(...sounds.map(({ bandwidth }) => bandwidth)),
    averageBandwidth: own.averageBandwidth + Math.max(...sounds.map(({ averageBandwidth }) => averageBandwidth)),
    codecs: [...codecs].join(','),
  };
}

/**
 * A sound of the group. Players may choose one by the language of the viewer only if no other has the same properties (RFC 8216 section 4.3.4.1.1),
 * and never a commentary.
 */
function soundLine({ uri, content, language, label, isDefault }: PlaylistSound, index: number, all: readonly PlaylistSound[]): string {
  const isFirst = all.findIndex((other) => other.language === language && other.content === content) === index;
  return attributes('EXT-X-MEDIA', {
    ...{ TYPE: 'AUDIO', 'GROUP-ID': { quoted: SOUND }, NAME: { quoted: label }, LANGUAGE: language === null ? null : { quoted: language } },
    ...{ DEFAULT: isDefault ? 'YES' : 'NO', AUTOSELECT: isDefault || (isFirst && content !== 'commentary') ? 'YES' : 'NO' },
    ...{ CHARACTERISTICS: content === 'description' ? { quoted: AUDIO_DESCRIPTION } : null, URI: { quoted: uri } },
  });
}

const trackLine = ({ uri, role, language, label, isOn }: PlaylistTrack): string =>
  attributes('EXT-X-MEDIA', {
    ...{
      TYPE: 'SUBTITLES',
      'GROUP-ID': { quoted: TEXTS },
      NAME: { quoted: label },
      LANGUAGE: language === null ? null : { quoted: language },
    },
    ...{ DEFAULT: isOn ? 'YES' : 'NO', AUTOSELECT: 'YES', FORCED: 'NO' },
    ...{ CHARACTERISTICS: role === 'captions' ? { quoted: CAPTIONS } : null, URI: { quoted: uri } },
  });

const variantLine = ({ bandwidth, averageBandwidth, codecs, width, height, frameRate }: Variant, groups: Attributes): string =>
  attributes('EXT-X-STREAM-INF', {
    ...{ BANDWIDTH: bandwidth, 'AVERAGE-BANDWIDTH': averageBandwidth, CODECS: { quoted: codecs } },
    ...{ RESOLUTION: frameRate !== null && width !== null && height !== null ? `${width}x${height}` : null },
    ...{ 'FRAME-RATE': frameRate === null ? null : frameRate.toFixed(3) },
    ...groups,
  });

/** Makes names unique within a group: a later track of the same name gets a number. */
function namedApart<Named extends { readonly label: string }>(tracks: readonly Named[]): Named[] {
  const taken = new Set<string>();
  return tracks.map((track) => {
    let label = quotable(track.label);
    for (let number = 2; taken.has(label); number += 1) label = `${quotable(track.label)} (${number})`;
    taken.add(label);
    return { ...track, label };
  });
}

function attributes(tag: string, values: Attributes): string {
  const written = Object.entries(values).flatMap(([name, value]) => {
    if (value === null) return [];
    return [`${name}=${typeof value === 'object' ? `"${quotable(value.quoted)}"` : value}`];
  });
  return `#${tag}:${written.join(',')}`;
}

/** A quoted text has no way to contain quotation marks or line ends (RFC 8216 section 4.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would end the line or be refused
const quotable = (text: string): string => text.replaceAll('"', '”').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
