import type { StoryboardFacts } from '../../../media/index.js';
import type { Parameters } from '../../format-settings.js';
import { type BuildRequest, type Invocation, Refusal, type Size, SOURCE, type SourceFacts, type Step } from '../converter.js';
import { scaledInColors } from './colors.js';
import { MAX_ALLOC, readFrom } from './ffprobe.converter.js';
import { type FilterChain, type FilterNode, filter, reasonsOf, writeGraph } from './filter-graph.js';
import { squareSize } from './picture-size.js';
import { deinterlacing, NO_PICTURE } from './plan-picture.js';
import { mainSound, NO_SOUND } from './plan-sound.js';
import { pictureAt } from './timing.js';

/** The kinds of drawings of a whole source (parameter `draw`): its sound as a curve, or its pictures as tiles. */
export type Drawing = 'waveform' | 'storyboard';

/** The part of the source that is drawn, in seconds. */
export interface DrawnPart {
  readonly start: number;
  /** Null: unknown. */
  readonly length: number | null;
}

const FILETYPES: Readonly<Record<Drawing, string>> = { waveform: 'png', storyboard: 'jpg' };

/** Builds the steps of a drawing. Throws a Refusal if it cannot be made of the source. */
export function buildDrawing(drawing: Drawing, request: BuildRequest, part: DrawnPart): Invocation {
  const { filetype, watermark, audioWatermark, burnTimecode } = request.settings;
  if (watermark || audioWatermark || burnTimecode) throw new Refusal(`A ${drawing} has no watermark, audio watermark or timecode.`);
  if (filetype !== FILETYPES[drawing]) throw new Refusal(`A ${drawing} is drawn as ${FILETYPES[drawing]}, not as ${filetype}.`);
  const output = `output.${filetype}`;
  const steps = drawing === 'waveform' ? [drawWaveform(request, part, output)] : drawStoryboard(request, part, output);
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  const reasons = drawing === 'waveform' ? [] : reasonsOf(tileFilters(request));
  return { kind: 'run', inputs, files: [], steps, output, reasons };
}

const START = ['-nostdin', '-hide_banner', '-loglevel', 'warning', '-nostats', '-y', '-max_alloc', String(MAX_ALLOC)];
/** One picture; otherwise image2 would look for a pattern in the file name. */
const ONE_PICTURE = ['-frames:v', '1', '-update', '1'];

interface DrawingStep {
  readonly inputs: readonly string[];
  readonly chains: readonly FilterChain[];
  /** Options of the encoder. */
  readonly options: readonly string[];
  readonly output: string;
}

/** Builds a run of ffmpeg that writes the stream `picture` of a graph. */
const draw = ({ inputs, chains, options, output }: DrawingStep): Step => ({
  program: 'ffmpeg',
  argv: [
    ...START,
    ...inputs,
    ...['-filter_complex', writeGraph(chains), '-map', '[picture]', '-map_metadata', '-1', ...ONE_PICTURE],
    ...[...options, '-f', 'image2', `file:${output}`],
  ],
  stdout: null,
});

const WAVEFORM = { width: 1_280, height: 320, color: '#3b82f6' } as const;
/** ffmpeg keeps the whole sound in memory before it draws: at most 100 MB with 16 bits. Long recordings are resampled. */
const MAX_SAMPLES = 50_000_000;
const MAX_RATE = 16_000;
/** Sample rate in Hz for recordings of unknown length. */
const MIN_RATE = 1_000;

function drawWaveform({ command, source }: BuildRequest, { start, length }: DrawnPart, output: string): Step {
  if (source.hasAudio === false) throw new Refusal(NO_SOUND);
  const { width, height, color } = { ...WAVEFORM, ...command };
  const rate = length === null ? MIN_RATE : Math.max(MIN_RATE, Math.min(MAX_RATE, Math.floor(MAX_SAMPLES / Math.max(1, length))));
  const filters = [
    filter('aresample', { sample_rate: rate }),
    filter('aformat', { sample_fmts: 's16', channel_layouts: 'mono' }),
    filter('showwavespic', { s: `${width}x${height}`, colors: String(color), scale: 'sqrt', filter: 'peak' }),
  ];
  return draw({
    inputs: readFrom(SOURCE, 'media', [...seek(start), ...(length === null ? [] : ['-t', String(length)])]),
    chains: [{ from: [`0:${mainSound(source.sounds)?.index ?? 'a:0'}`], filters, to: 'picture' }],
    options: [],
    output,
  });
}

const seek = (start: number): readonly string[] => (start === 0 ? [] : ['-ss', String(start)]);

const INTERVAL_SECONDS = 10;
const MAX_PICTURES = 100;
const MAX_COLUMNS = 10;
/** JPEG quality: 2 is the best, 31 the worst. */
const DEFAULT_SCALE = 5;

/** Plans one picture every ten seconds, and at most a hundred (contract section 12.3). `length` in seconds. */
export function planStoryboard(length: number): StoryboardFacts {
  const intervalSeconds = Math.max(INTERVAL_SECONDS, Math.ceil(length / MAX_PICTURES));
  const pictures = Math.max(1, Math.ceil(length / intervalSeconds));
  const columns = Math.min(MAX_COLUMNS, pictures);
  return { intervalSeconds, pictures, columns, rows: Math.ceil(pictures / columns) };
}

const PNG = { holds: 'image', muxer: 'image2', options: [] } as const;
/** The file of a tile before the tiles are combined. */
const tileOf = (index: number): string => `tile-${index}`;

/**
 * Seeks to the middle of each interval instead of decoding the whole film, so that a film of three hours takes no longer than one of a quarter of
 * an hour. Each tile is made by a separate run, so that only one decoder is in memory.
 */
function drawStoryboard(request: BuildRequest, { start, length }: DrawnPart, output: string): readonly Step[] {
  const { command, source } = request;
  if (source.hasVideo === false) throw new Refusal(NO_PICTURE);
  if (length === null) throw new Refusal('The length of the film is unknown, so its pictures cannot be spread over it.');
  const size = tileSize(command, source);
  const plan = planStoryboard(length);
  const tiles = Array.from({ length: plan.pictures }, (_, index) => {
    const from = index * plan.intervalSeconds;
    const at = start + (from + Math.min(length, from + plan.intervalSeconds)) / 2;
    return drawTile(Number(at.toFixed(3)), request, tileOf(index));
  });
  const options = ['-q:v', String(command['q:v'] ?? DEFAULT_SCALE), '-pix_fmt', 'yuvj420p'];
  return [...tiles, joinTiles(plan, size, { options, output })];
}

/** Returns the size of a tile: within the format's bounds, in the film's orientation, with square pixels and even sides. */
function tileSize(command: Parameters, source: SourceFacts): Size {
  const size = squareSize(command, source);
  if (size === null) throw new Refusal('The size of the film is unknown.');
  return size;
}

/** The filters that make a tile of a picture. */
function tileFilters({ source, command }: BuildRequest): readonly FilterNode[] {
  const { width, height } = tileSize(command, source);
  const scaled = scaledInColors({ w: width, h: height }, { command, source, kind: PNG, filetype: 'png' });
  return [...deinterlacing(command, source), ...scaled, filter('setsar', { sar: 1 })];
}

/** Draws the picture that is shown at a time in seconds. */
function drawTile(at: number, request: BuildRequest, output: string): Step {
  const { input, filters } = pictureAt(at, request.source);
  return draw({
    inputs: ['-threads', '1', ...readFrom(SOURCE, 'media', input)],
    chains: [{ from: ['0:V:0'], filters: [...filters, ...tileFilters(request)], to: 'picture' }],
    options: ['-c:v', 'png'],
    output,
  });
}

function joinTiles(
  { pictures, columns }: StoryboardFacts,
  { width, height }: Size,
  { options, output }: Pick<DrawingStep, 'options' | 'output'>,
): Step {
  const all = Array.from({ length: pictures }, (_, index) => index);
  const places = all.map((index) => `${(index % columns) * width}_${Math.floor(index / columns) * height}`);
  const join = pictures === 1 ? filter('null') : filter('xstack', { inputs: pictures, layout: places.join('|'), fill: 'black' });
  return draw({
    inputs: all.flatMap((index) => readFrom(tileOf(index), 'image', ['-threads', '1', '-f', 'png_pipe'])),
    chains: [{ from: all.map((index) => `${index}:v:0`), filters: [join], to: 'picture' }],
    options,
    output,
  });
}
