import type { StreamingFacts } from '../../media/index.js';

/** A rendition that a player can choose. */
export interface Variant extends StreamingFacts {
  /** The address of its media playlist, relative to the master playlist. */
  readonly uri: string;
  /** Pixels; null: it has no picture. */
  readonly width: number | null;
  readonly height: number | null;
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
/** Both groups have the same member, once within the film and once as a file of its own (RFC 8216 section 4.3.4.1.1). */
const SOUND_OF_FILM = 'film';
const SOUND_ALONE = 'sound';
const SOUND = { NAME: { quoted: 'Sound' }, DEFAULT: 'YES', AUTOSELECT: 'YES' } as const;

/** What captions tell besides the dialogue, in Apple's names (HLS Authoring Specification, section 4). */
const CAPTIONS = 'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound';

/** The playlist that lists the renditions of a film and its tracks (RFC 8216 section 4.3.4). */
export function writeMasterPlaylist(variants: readonly Variant[], tracks: readonly PlaylistTrack[]): string {
  const films = variants.filter(isFilm);
  const sounds = variants.filter((variant) => !isFilm(variant));
  const hasBoth = films.length > 0 && sounds.length > 0;
  const [sound] = sounds;
  const audio = (variant: Variant) => (isFilm(variant) ? SOUND_OF_FILM : SOUND_ALONE);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(hasBoth && sound ? soundGroups(sound) : []),
    ...namedApart(tracks).map(trackLine),
    ...variants.flatMap((variant) => {
      const groups = {
        AUDIO: hasBoth && hasSound(variant) ? { quoted: audio(variant) } : null,
        SUBTITLES: tracks.length > 0 ? { quoted: TEXTS } : null,
      };
      return [variantLine(variant, groups), variant.uri];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

const isFilm = ({ frameRate }: Variant): boolean => frameRate !== null;

/** A film without sound belongs to no group of sounds. */
const hasSound = ({ codecs }: Variant): boolean => /\b(mp4a|opus|ac-3|ec-3|fLaC)/i.test(codecs);

/** The sound of the films is in their own segments; the rendition without a picture is the same sound for slow lines. */
const soundGroups = ({ uri }: Variant): string[] => [
  attributes('EXT-X-MEDIA', { TYPE: 'AUDIO', 'GROUP-ID': { quoted: SOUND_OF_FILM }, ...SOUND }),
  attributes('EXT-X-MEDIA', { TYPE: 'AUDIO', 'GROUP-ID': { quoted: SOUND_ALONE }, ...SOUND, URI: { quoted: uri } }),
];

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
    'CLOSED-CAPTIONS': frameRate === null ? null : 'NONE',
  });

/** Names are unique within a group; a later track of the same name gets a number. */
function namedApart(tracks: readonly PlaylistTrack[]): PlaylistTrack[] {
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
