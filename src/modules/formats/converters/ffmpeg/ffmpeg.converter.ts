import type { FormatSettings } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import {
  type ArgumentReason,
  type BuildRequest,
  type ConverterDescriptor,
  type Invocation,
  metadataPrograms,
  Refusal,
  SOURCE,
  type SoundFile,
  type SourceFacts,
  type SourceSound,
  type Step,
} from '../converter.js';
import { buildDrawing, type Drawing, planStoryboard } from './drawings.js';
import { FFMPEG_PARAMETERS } from './ffmpeg-parameters.js';
import { MAX_ALLOC, readFrom } from './ffprobe.converter.js';
import { type OutputKind, writeGraph } from './filter-graph.js';
import { planPicture } from './plan-picture.js';
import { isSoundApart, MAX_SOUNDS, planSound, streamedSounds } from './plan-sound.js';
import { findStreamingConflicts, isStreaming, streamingOptions, whySkipped } from './streaming.js';
import { longestOutput, outputLength, pictureAt, startOf } from './timing.js';

const video = (muxer: string, ...options: string[]): OutputKind => ({ holds: 'video', muxer, options });
const audio = (muxer: string): OutputKind => ({ holds: 'audio', muxer, options: [] });
/** One image; otherwise image2 would look for a pattern in the file name. */
const image = (): OutputKind => ({ holds: 'image', muxer: 'image2', options: ['-frames:v', '1', '-update', '1'] });

/** The file types that ffmpeg makes, in lower case. */
const OUTPUT_KINDS: ReadonlyMap<string, OutputKind> = new Map([
  ['mp4', video('mp4')],
  ['m4v', video('mp4')],
  ['mov', video('mov')],
  ['webm', video('webm')],
  ['mkv', video('matroska')],
  ['ts', video('mpegts')],
  ['gif', video('gif', '-an')],
  ['mp3', audio('mp3')],
  ['m4a', audio('ipod')],
  ['aac', audio('adts')],
  ['flac', audio('flac')],
  ['wav', audio('wav')],
  ['ogg', audio('ogg')],
  ['opus', audio('opus')],
  ['jpg', image()],
  ['png', image()],
  ['webp', image()],
]);

/** Parameters that are translated instead of being passed on. */
const OWN = new Set(['width', 'height', 'ss', 't', 'vf', 'af', 'an', 'vn', 'draw', 'color', 'streaming', 'above']);

/** Characters of the name of a sound in a message; titles that tell sounds apart are shorter. */
const MAX_NAME = 60;

/** Makes video, audio and images of videos with ffmpeg. */
export const ffmpegConverter = {
  name: 'ffmpeg',
  parameters: FFMPEG_PARAMETERS,
  filetypes: [...OUTPUT_KINDS.keys()],
  source: 'measured',
  result: 'media',
  programs: (settings) => ['ffmpeg', 'ffprobe', ...metadataPrograms(settings)],
  build: buildFfmpeg,
  storyboard: ({ draw, ...command }, settings, source) => {
    const length = draw === 'storyboard' ? outputLength(command, settings, source) : null;
    return length === null ? null : planStoryboard(length);
  },
  findConflicts: ({ filetype, ffmpeg = {} }, command) =>
    findStreamingConflicts(command, filetype).map(({ parameter, message }) => ({
      path: parameter === null ? 'settings.filetype' : `settings.${parameter in ffmpeg ? 'ffmpeg' : 'parameters'}.${parameter}`,
      code: 'not_streamable',
      message,
    })),
  isLong: ({ draw }, { filetype = '' }, type) => {
    const holds = OUTPUT_KINDS.get(filetype)?.holds;
    return holds === 'video' || draw === 'storyboard' || (holds === 'audio' && type === 'video');
  },
  resultSeconds: (command, settings, source) =>
    OUTPUT_KINDS.get(settings.filetype ?? '')?.holds === 'image' ? 1 : outputLength(command, settings, source),
} as const satisfies ConverterDescriptor;

function buildFfmpeg(request: BuildRequest): Invocation {
  const { command, settings, source } = request;
  const filetype = String(settings.filetype);
  const kind = OUTPUT_KINDS.get(filetype);
  if (!kind) throw new Refusal(`ffmpeg cannot make ${filetype}.`);
  if (source.mediaType !== 'video' && source.mediaType !== 'audio') throw new Refusal('ffmpeg converts only video and audio.');
  if (command.draw !== undefined) {
    const part = { start: startOf(command, source), length: outputLength(command, settings, source) };
    return buildDrawing(command.draw as Drawing, request, part);
  }
  const [conflict] = findStreamingConflicts(command, filetype);
  if (conflict) throw new Refusal(`${conflict.parameter ?? 'filetype'}: ${conflict.message}.`);
  const reason = whySkipped(command, kind, source);
  if (reason !== null) return { kind: 'skipped', reason };
  const picture = planPicture(request, kind);
  const sounds = streamedSounds(request);
  const input = picture.input ? 2 : 1;
  const results =
    sounds.length === 0
      ? [{ output: `output.${filetype}`, plan: planSound(request, kind, { input }) }]
      : sounds
          .slice(0, MAX_SOUNDS)
          .map(soundFile)
          .map(({ output, sound }) => ({ output, plan: planSound(request, kind, { input, sound }) }));
  const plans = results.map(({ plan }) => plan);
  const extra = [picture.input, plans[0]?.input ?? null].filter((one) => one !== null);
  const graph = [...picture.chains, ...plans.flatMap(({ chains }) => chains)];
  const argv = [
    ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-nostats', '-progress', 'pipe:1', '-y', '-max_alloc', String(MAX_ALLOC)],
    ...readFrom(SOURCE, 'media', seek(command, source, kind)),
    ...extra.flatMap(({ name, holds }) => readFrom(name, holds)),
    ...(graph.length > 0 ? ['-filter_complex', writeGraph(graph)] : []),
    ...results.flatMap(({ output, plan }) => [
      ...[...picture.options, ...plan.options, '-sn', '-dn'],
      ...writeMetadata(source, kind),
      ...writeParameters(command, kind),
      ...limitLength(command, settings),
      ...(isStreaming(command) ? [...streamingOptions(kind, source), '-f', 'mp4'] : [...kind.options, '-f', kind.muxer]),
      `file:${output}`,
    ]),
  ];
  const inputs = { source: SOURCE, watermark: picture.input?.name ?? null, audioWatermark: plans[0]?.input?.name ?? null };
  const reasons = [...picture.reasons, ...plans.flatMap((plan) => plan.reasons), ...reasonsOfTimes(request)];
  const steps = [{ program: 'ffmpeg', argv, stdout: null }] as const;
  const run = { kind: 'run', inputs, files: [], steps, output: `output.${filetype}`, reasons } as const;
  if (isSoundApart(request, kind)) return { ...run, isSoundApart: true };
  return sounds.length === 0 ? run : { ...run, sounds: sounds.slice(0, MAX_SOUNDS).map(soundFile), ...leftOut(sounds.slice(MAX_SOUNDS)) };
}

const soundFile = (sound: SourceSound, index: number): SoundFile => ({
  output: index === 0 ? 'output.m4a' : `output-${index + 1}.m4a`,
  sound,
});

function leftOut(sounds: readonly SourceSound[]): { readonly message?: string } {
  if (sounds.length === 0) return {};
  const names = sounds.map(({ title, language, index }) => (title ?? language ?? `stream ${index}`).slice(0, MAX_NAME)).join(', ');
  return { message: `A film is streamed with at most ${MAX_SOUNDS} sounds. Not taken: ${names}.` };
}

/**
 * Metadata may reveal where and with which device a film was recorded, so it is removed (contract section 13.7, Privacy). Audio made of an audio
 * source keeps its titles. Chapters are tracks of their own; in a file they would be a stream that players do not expect.
 */
const writeMetadata = ({ mediaType, titles }: SourceFacts, { holds }: OutputKind): readonly string[] => [
  ...['-map_metadata', '-1', '-map_chapters', '-1'],
  ...(mediaType === 'audio' && holds === 'audio' ? Object.entries(titles).flatMap(([name, text]) => ['-metadata', `${name}=${text}`]) : []),
];

function seek(command: Parameters, source: SourceFacts, { holds }: OutputKind): readonly string[] {
  const start = startOf(command, source);
  if (holds === 'image') return pictureAt(start, source).input;
  return start === 0 ? [] : ['-ss', String(start)];
}

/** Why a part of the source is made. */
function reasonsOfTimes({ command, settings, source }: BuildRequest): readonly ArgumentReason[] {
  const [start, longest] = [startOf(command, source), longestOutput(command, settings)];
  const shorter = `the source ends before ${command.ss} s (parameter ss): its middle`;
  return [
    ...(start > 0 ? [{ argument: `-ss ${start}`, reason: start === Number(command.ss) ? 'parameter ss' : shorter }] : []),
    ...(longest === null
      ? []
      : [{ argument: `-t ${longest}`, reason: longest === Number(command.t) ? 'parameter t' : 'settings.testMode' }]),
  ];
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

/** A subtitle stream by its index among all streams, and the file for its text. */
interface SubtitleFile {
  readonly index: number;
  readonly output: string;
  /** What it is written as: Advanced SubStation Alpha has drawings and comments, which ffmpeg would take for words of WebVTT. */
  readonly format: 'webvtt' | 'ass';
}

/** Builds the step that writes text subtitles of the source, with times that begin where its renditions do. */
export const buildSubtitles = (files: readonly SubtitleFile[]): Step => ({
  program: 'ffmpeg',
  argv: [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-max_alloc', String(MAX_ALLOC)],
    ...readFrom(SOURCE, 'media'),
    ...files.flatMap(({ index, output, format }) => ['-map', `0:${index}`, '-c:s', format, '-f', format, `file:${output}`]),
  ],
  stdout: null,
});
