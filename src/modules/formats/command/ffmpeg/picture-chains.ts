import type { BurnTimecode, Parameters, Watermark } from '../../format-settings.js';
import { type Edge, placeOf, watermarkGravity } from '../place.js';
import type { Size, SourceFacts } from '../source-facts.js';
import { watermarkWidth } from '../watermark-width.js';
import { burnTimecode } from './burn-timecode.js';
import { type FilterChain, type FilterNode, filter } from './filter-graph.js';
import { parseFilters } from './parse-filters.js';
import { fitIntoBounds } from './target-size.js';

export interface PictureWish {
  readonly command: Parameters;
  readonly timecode: BurnTimecode | null;
  readonly source: SourceFacts;
  readonly target: Size | null;
}

/** The filters of the picture: the format's own, the scaling, the timecode. */
export const pictureFilters = ({ command, timecode, source, target }: PictureWish): readonly FilterNode[] => [
  ...userFilters(command.vf, 'video'),
  fitIntoBounds(command),
  ...(timecode ? burnTimecode(timecode, target, source) : []),
];

/** A format's `vf` or `af`, read and written again. */
export function userFilters(text: Parameters[string] | undefined, kind: 'video' | 'audio'): readonly FilterNode[] {
  if (text === undefined || text === false) return [];
  const filters = parseFilters(String(text), kind);
  if (filters === null) throw new Error('These filters should have been refused before.');
  // A key with # has no name in ffmpeg's notation; the values were checked to need no escaping.
  return filters.map(({ name, args }) => filter(name, Object.fromEntries(args.map((arg, index) => [`#${index}`, arg]))));
}

export interface MarkWish {
  readonly watermark: Watermark;
  readonly target: Size | null;
  /** Filters of the picture under the watermark. */
  readonly picture: readonly FilterNode[];
  /** Number of the watermark's input. */
  readonly input: number;
}

/** The picture with a watermark over it, as the stream `picture`. */
export function markPicture({ watermark, target, picture, input }: MarkWish): readonly FilterChain[] {
  const { width, margin } = watermarkWidth(watermark, target);
  const { x, y } = placeOf(watermarkGravity(watermark, 'position'));
  return [
    { from: ['0:V:0'], filters: picture, to: 'under' },
    { from: [`${input}:v:0`], filters: [filter('scale', width === null ? {} : { w: width, h: -1 })], to: 'mark' },
    { from: ['under', 'mark'], filters: [filter('overlay', { x: along('w', x, margin), y: along('h', y, margin) })], to: 'picture' },
  ];
}

function along(side: 'w' | 'h', edge: Edge, margin: number): string {
  if (edge === 'start') return String(margin);
  return edge === 'middle' ? `(main_${side}-overlay_${side})/2` : `main_${side}-overlay_${side}-${margin}`;
}
