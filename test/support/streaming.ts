import { randomBytes } from 'node:crypto';
import { type ParsedManifest, Parser } from 'm3u8-parser';
import type { NewEmbed } from './embeds.js';

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
