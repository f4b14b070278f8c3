import type { StreamingIndex } from '../../media/index.js';

interface Segments extends Pick<StreamingIndex, 'headerBytes' | 'segmentBytes' | 'segmentMs'> {
  /** The address of the file, relative to the playlist. */
  readonly uri: string;
}

/**
 * Writes the playlist of one streaming rendition: its segments are byte ranges of one file, after its header (RFC 8216 section 4.3.2). A segment
 * starts where the previous one ends, so only the first states its offset: the playlist of a three-hour film is smaller than 150 kB.
 */
export function writeMediaPlaylist({ uri, headerBytes, segmentBytes, segmentMs }: Segments): string {
  const segments = segmentBytes.map((bytes, index) => {
    const place = index === 0 ? `@${headerBytes}` : '';
    return `#EXTINF:${seconds(segmentMs[index] ?? 0)},\n#EXT-X-BYTERANGE:${bytes}${place}\n${uri}`;
  });
  const map = `#EXT-X-MAP:URI="${uri}",BYTERANGE="${headerBytes}@0"`;
  return playlist(Math.max(0, ...segmentMs), ['#EXT-X-INDEPENDENT-SEGMENTS', map, ...segments]);
}

/**
 * Writes the playlist of a text track: one segment, the whole WebVTT file. Its times start at zero like those of the film, so it needs no
 * X-TIMESTAMP-MAP.
 */
export const writeTrackPlaylist = (uri: string, durationMs: number): string =>
  playlist(durationMs, [`#EXTINF:${seconds(durationMs)},\n${uri}`]);

function playlist(longestMs: number, lines: readonly string[]): string {
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(longestMs / 1_000))}`, // no rounded segment duration exceeds it
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
  ];
  return `${[...head, ...lines, '#EXT-X-ENDLIST'].join('\n')}\n`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);
