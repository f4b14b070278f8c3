import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ParsedManifest, Parser } from 'm3u8-parser';
import type { StreamingFacts } from '../../../src/modules/media/index.js';
import { runDebianProgram } from '../debian-program.js';
import type { NewEmbed } from '../delivery/embeds.js';

type Rung = NonNullable<NewEmbed['renditions']>[string];

interface NewRung {
  /** Pixels; absent: sound alone. */
  readonly height?: number;
  readonly bandwidth?: number;
  readonly segments?: number;
  readonly segmentBytes?: number;
}

/** A streaming rendition whose bytes mean nothing: for tests of playlists and rules. */
export function aRung({ height, bandwidth = 2_000_000, segments = 3, segmentBytes = 2_000 }: NewRung = {}): Rung {
  const index = {
    headerBytes: 800,
    segmentBytes: Array.from({ length: segments }, (_, number) => segmentBytes + number),
    segmentMs: Array.from({ length: segments }, (_, number) => (number === segments - 1 ? 1_960 : 4_004)),
  };
  const picture = height === undefined ? {} : { width: Math.round((height * 16) / 9), height, codec: 'h264' };
  const codecs = height === undefined ? 'mp4a.40.2' : 'avc1.64001f,mp4a.40.2';
  const isLong = segments > 100;
  return {
    ...{ fileName: 'interview', fileExtension: 'mp4', type: 'video', ...picture },
    content: randomBytes(isLong ? 800 : index.headerBytes + index.segmentBytes.reduce((sum, bytes) => sum + bytes, 0)),
    duration: index.segmentMs.reduce((sum, ms) => sum + ms, 0) / 1_000,
    streaming: {
      facts: { codecs, bandwidth, averageBandwidth: bandwidth * 0.75, frameRate: height === undefined ? null : 29.97, segments },
      index,
    },
  };
}

/** A film with renditions for two lines. */
export const aLadder: NewEmbed = {
  type: 'video',
  original: { fileName: 'interview.mov', content: 'original' },
  renditions: {
    'Streaming 720p': aRung({ height: 720, bandwidth: 3_000_000 }),
    'Streaming 360p': aRung({ height: 360, bandwidth: 900_000 }),
  },
};

/** A playlist as m3u8-parser reads it; it must find nothing to complain about. */
export function parsePlaylist(text: string): ParsedManifest {
  const parser = new Parser();
  const complaints: string[] = [];
  for (const event of ['warn', 'error'] as const) parser.on(event, ({ message }) => complaints.push(message));
  parser.push(text);
  parser.end();
  if (complaints.length > 0) throw new Error(`${complaints.join('\n')}\n${text}`);
  return parser.manifest;
}

/** What a viewer gets at an address; redirects are not followed. */
export const request = async (url: URL, headers: Record<string, string> = {}) => await fetch(url, { headers, redirect: 'manual' });
export const textOf = async (url: URL, headers: Record<string, string> = {}) => await (await request(url, headers)).text();

/** The status of a refusal, the rule if it names one, and its code. */
export async function refusalOf(url: URL, headers: Record<string, string> = {}): Promise<string> {
  const response = await request(url, headers);
  const { code, rule } = (await response.json()) as { code?: string; rule?: string };
  return [response.status, rule, code].filter(Boolean).join(' ');
}

/** What a player follows: the media playlists of a master playlist, and the segments of the first. */
export async function follow(master: URL, headers: Record<string, string> = {}) {
  const parsed = parsePlaylist(await textOf(master, headers));
  const uris = (parsed.playlists ?? []).map(({ uri }) => new URL(uri, master));
  const [first = master] = uris;
  const media = parsePlaylist(await textOf(first, headers));
  return { parsed, uris, first, media, segment: new URL(media.segments[0]?.uri ?? '', first) };
}

interface NewEncoding {
  /** Of a picture in 16:9; null: sound alone. */
  readonly height: number | null;
  readonly kbit?: number;
  readonly seconds: number;
  /** Hertz of the tone; null: no sound. */
  readonly tone?: number | null;
}

/** A streaming rendition that players play, of moving bars and a tone, in segments of two seconds. */
export async function encodeRung({ height, kbit = 200, seconds, tone = 440 }: NewEncoding): Promise<Rung> {
  const width = height === null ? null : Math.round((height * 16) / 9);
  const folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-rung-'));
  const inputs = [
    ...(width === null ? [] : [`testsrc2=size=${width}x${height}:rate=25:duration=${seconds}`]),
    ...(tone === null ? [] : [`sine=frequency=${tone}:duration=${seconds}`]),
  ];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'main', '-level', '3.0', '-pix_fmt', 'yuv420p', '-g', '50'];
  const rate = ['-b:v', `${kbit}k`, '-minrate', `${kbit}k`, '-maxrate', `${kbit}k`, '-bufsize', `${kbit}k`, '-nal-hrd', 'cbr'];
  const sound = ['-c:a', 'aac', '-b:a', '32k', '-ac', '1'];
  const output = ['-f', 'hls', '-hls_time', '2', '-hls_segment_type', 'fmp4', '-hls_flags', 'single_file', '-hls_playlist_type', 'vod'];
  const parameters = [...inputs.flatMap((input) => ['-f', 'lavfi', '-i', input]), ...(width === null ? [] : [...video, ...rate])];
  try {
    const { code, output: said } = await runDebianProgram('ffmpeg', ['-v', 'error', ...parameters, ...sound, ...output, 'film.m3u8'], {
      cwd: folder,
    });
    if (code !== 0) throw new Error(`ffmpeg: ${said}`);
    const { segments } = parsePlaylist(await readFile(path.join(folder, 'film.m3u8'), 'utf8'));
    const index = {
      headerBytes: segments[0]?.map?.byterange?.length ?? 0,
      segmentBytes: segments.map(({ byterange }) => byterange?.length ?? 0),
      segmentMs: segments.map(({ duration }) => Math.round(duration * 1_000)),
    };
    const bandwidth = (Math.max(...index.segmentBytes) * 8) / 2;
    const codecs = [...(width === null ? [] : ['avc1.4d401e']), ...(tone === null ? [] : ['mp4a.40.2'])].join(',');
    const frameRate = width === null ? null : 25;
    const facts = { codecs, bandwidth, averageBandwidth: kbit * 1_000, frameRate, segments: segments.length };
    const content = await readFile(path.join(folder, 'film.m4s'));
    const file = { fileName: 'film', fileExtension: 'mp4', content, duration: seconds, streaming: { facts, index } };
    if (width === null || height === null) return { ...file, type: 'audio', codec: 'aac' };
    return { ...file, type: 'video', width, height, codec: 'h264' };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One of several sounds of a film. */
export const asSound = (rung: Rung, track: NonNullable<Rung['track']>, sound: StreamingFacts['sound'] = 'main'): Rung => ({
  ...rung,
  track,
  ...(rung.streaming && { streaming: { ...rung.streaming, facts: { ...rung.streaming.facts, sound } } }),
});

/** A picture whose sounds are renditions of their own. */
export const withoutSound = (rung: Rung): Rung => ({
  ...rung,
  ...(rung.streaming && {
    streaming: { ...rung.streaming, facts: { ...rung.streaming.facts, codecs: 'avc1.4d401e', isSoundApart: true } },
  }),
});
