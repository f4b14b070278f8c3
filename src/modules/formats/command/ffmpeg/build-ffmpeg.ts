import type { BurnTimecode, FormatSettings, Parameters } from '../../format-settings.js';
import type { Invocation } from '../invocation.js';
import { AUDIO_WATERMARK, SOURCE, WATERMARK } from '../job-names.js';
import { Refusal } from '../refusal.js';
import type { SourceFacts } from '../source-facts.js';
import { type FilterChain, writeFilters, writeGraph } from './filter-graph.js';
import { MAX_ALLOC, readFrom } from './input-options.js';
import { markSound } from './mark-sound.js';
import { OUTPUT_KINDS, type OutputKind } from './output-kinds.js';
import { longestOutput, startOf } from './output-length.js';
import { markPicture, pictureFilters, userFilters } from './picture-chains.js';
import { targetSize } from './target-size.js';

export interface FfmpegRequest {
  readonly command: Parameters;
  readonly settings: FormatSettings;
  readonly timecode: BurnTimecode | null;
  readonly source: SourceFacts;
}

/** What one kind of stream needs: what is mapped, its options, chains of the graph and further inputs. */
interface StreamPlan {
  readonly options: readonly string[];
  readonly chains: readonly FilterChain[];
  readonly input: { readonly name: string; readonly holds: 'media' | 'image' } | null;
}

const NOTHING: StreamPlan = { options: [], chains: [], input: null };
/** Not handed over as they are: the builder makes something of them. */
const OWN = new Set(['width', 'height', 'ss', 't', 'vf', 'af', 'an', 'vn']);

/** ffmpeg's run. The command's parameters have been checked. */
export function buildFfmpeg(request: FfmpegRequest): Invocation {
  const { command, settings, source } = request;
  const filetype = String(settings.filetype);
  const kind = OUTPUT_KINDS.get(filetype);
  if (!kind) throw new Refusal(`ffmpeg makes no ${filetype}.`);
  if (source.mediaType !== 'video' && source.mediaType !== 'audio') throw new Refusal('ffmpeg takes videos and audio only.');
  const picture = planPicture(request, kind);
  const sound = planSound(request, kind, picture.input ? 2 : 1);
  const extra = [picture.input, sound.input].filter((input) => input !== null);
  const graph = [...picture.chains, ...sound.chains];
  const output = `output.${filetype}`;
  const argv = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-nostats', '-progress', 'pipe:1', '-y', '-max_alloc', String(MAX_ALLOC)],
    ...readFrom(SOURCE, 'media', seek(command, source)),
    ...extra.flatMap(({ name, holds }) => readFrom(name, holds)),
    ...(graph.length > 0 ? ['-filter_complex', writeGraph(graph)] : []),
    ...[...picture.options, ...sound.options, '-sn', '-dn'],
    ...forget(source, kind),
    ...writeParameters(command, kind),
    ...limitLength(command, settings),
    ...[...kind.options, '-f', kind.muxer, `file:${output}`],
  ];
  const inputs = { source: SOURCE, watermark: nameOf(picture), audioWatermark: nameOf(sound) };
  return { kind: 'run', inputs, files: [], steps: [{ program: 'ffmpeg', argv, stdout: null }], output };
}

/**
 * Rule 4 is about images; but a video's metadata says where it was taken and with which telephone, so it goes too, also when only its sound
 * is taken. What is sound from the beginning keeps its titles.
 */
const forget = ({ mediaType }: SourceFacts, { holds }: OutputKind): readonly string[] =>
  mediaType === 'audio' && holds === 'audio' ? [] : ['-map_metadata', '-1', '-map_chapters', '-1'];

const nameOf = ({ input }: StreamPlan): string | null => input?.name ?? null;
const isOn = (command: Parameters, name: string): boolean => String(command[name]) === 'true';

function planPicture({ command, settings, timecode, source }: FfmpegRequest, kind: OutputKind): StreamPlan {
  if (kind.holds === 'audio' || isOn(command, 'vn')) return { ...NOTHING, options: ['-vn'] };
  if (source.hasVideo === false) throw new Refusal('The source has no picture.');
  const { watermark } = settings;
  if ([command['c:v'], command.vcodec].includes('copy')) {
    if (watermark || timecode) throw new Refusal('Nothing can be drawn into a picture that is copied as it is.');
    return { ...NOTHING, options: ['-map', '0:V:0'] };
  }
  const target = targetSize(command, source);
  const filters = pictureFilters({ command, timecode, source, target });
  if (!watermark) return { ...NOTHING, options: ['-map', '0:V:0', '-vf', writeFilters(filters)] };
  const chains = markPicture({ watermark, target, picture: filters, input: 1 });
  return { options: ['-map', '[picture]'], chains, input: { name: WATERMARK, holds: 'image' } };
}

/** A source without sound has nothing that could be marked. */
function planSound({ command, settings, source }: FfmpegRequest, kind: OutputKind, nextInput: number): StreamPlan {
  if (kind.holds === 'audio' && source.hasAudio === false) throw new Refusal('The source has no sound.');
  if (kind.holds === 'image' || kind.options.includes('-an') || isOn(command, 'an') || source.hasAudio === false) {
    return { ...NOTHING, options: kind.options.includes('-an') ? [] : ['-an'] };
  }
  const filters = userFilters(command.af, 'audio');
  const { audioWatermark } = settings;
  if ([command['c:a'], command.acodec].includes('copy')) {
    if (audioWatermark) throw new Refusal('Nothing can be mixed into sound that is copied as it is.');
    return { ...NOTHING, options: ['-map', '0:a:0?'] };
  }
  if (!audioWatermark) return { ...NOTHING, options: ['-map', '0:a:0?', ...(filters.length > 0 ? ['-af', writeFilters(filters)] : [])] };
  const chains = markSound(audioWatermark, filters, nextInput);
  return { options: ['-map', '[sound]'], chains, input: { name: AUDIO_WATERMARK, holds: 'media' } };
}

function seek(command: Parameters, source: SourceFacts): readonly string[] {
  const start = startOf(command, source);
  return start === 0 ? [] : ['-ss', String(start)];
}

function limitLength(command: Parameters, settings: FormatSettings): readonly string[] {
  const longest = longestOutput(command, settings);
  return longest === null ? [] : ['-t', String(longest)];
}

function writeParameters(command: Parameters, { holds }: OutputKind): readonly string[] {
  return Object.entries(command).flatMap(([name, value]) => {
    if (OWN.has(name) || value === false || String(value) === 'false') return [];
    if (holds === 'image' && name.startsWith('frames')) return [];
    return String(value) === 'true' ? [`-${name}`] : [`-${name}`, String(value)];
  });
}
