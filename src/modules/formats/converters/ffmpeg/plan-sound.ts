import type { AudioWatermark } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import { type ArgumentReason, AUDIO_WATERMARK, type BuildRequest, Refusal, type SourceSound } from '../converter.js';
import {
  type FilterChain,
  type FilterNode,
  filter,
  isOn,
  type OutputKind,
  reasonsOf,
  type StreamPlan,
  unmixed,
  userFilters,
  writeFilters,
} from './filter-graph.js';
import { isSoundForStreaming, isStreaming, streamedSound } from './streaming.js';
import { paddedSound } from './timing.js';

/**
 * Returns the sound that is played first (contract section 13.7, Sound): of those that are not a commentary or audio description, or else of all,
 * the one that the file marks as default, or else the first. Undefined: no sound, or unknown.
 */
export function mainSound(sounds: readonly SourceSound[]): SourceSound | undefined {
  const main = sounds.filter(({ content }) => content === 'main');
  const candidates = main.length > 0 ? main : sounds;
  return candidates.find(({ isDefault }) => isDefault) ?? candidates[0];
}

/** Sounds of a film that are streamed: more than players list legibly. Each is encoded at the same time, in several megabytes of memory. */
export const MAX_SOUNDS = 32;

/**
 * Returns the sounds of which a streaming format makes a file each, the one that is played first first; empty: it makes a single file. Sounds that
 * have no packets, or whose encoding is unknown, would make all fail and are left out.
 */
export function streamedSounds({ command, settings, source }: BuildRequest): readonly SourceSound[] {
  const main = mainSound(source.sounds);
  if (!isSoundForStreaming(settings, command) || main === undefined) return [];
  const isMeasured = main.times !== null;
  const others = source.sounds.filter((sound) => sound !== main && sound.channels !== null && (!isMeasured || sound.times !== null));
  return others.length === 0 ? [] : [main, ...others];
}

/** Whether a rendition for streaming leaves the sounds of a film to renditions of their own, between which viewers choose. */
export const isSoundApart = ({ command, settings, source, hasStreamedSounds = false }: BuildRequest, { holds }: OutputKind): boolean =>
  hasStreamedSounds && holds === 'video' && isStreaming(command) && source.sounds.length > 1 && !settings.audioWatermark;

/** Why nothing is made of the sound of a film without sound. */
export const NO_SOUND = 'The source has no sound. Choose a format with a picture.';

/** The place of a sound in a command. */
interface SoundPlace {
  /** The number of the next input. */
  readonly input: number;
  /** Absent: the sound that is played first. */
  readonly sound?: SourceSound;
}

/** Plans how the sound is made. A source without sound gets no audio watermark. */
export function planSound(request: BuildRequest, kind: OutputKind, place: SoundPlace): StreamPlan {
  const { command, settings, source } = request;
  if (isSoundApart(request, kind)) {
    const reason = `the ${source.sounds.length} sounds of the film are renditions of their own`;
    return { ...unmixed(['-an']), reasons: [{ argument: '-an', reason }] };
  }
  if (kind.holds === 'audio' && source.hasAudio === false) throw new Refusal(NO_SOUND);
  if (kind.holds === 'image' || kind.options.includes('-an') || isOn(command, 'an') || source.hasAudio === false) {
    const reason = source.hasAudio === false ? 'the source has no sound' : 'the result has no sound';
    return { ...unmixed(kind.options.includes('-an') ? [] : ['-an']), reasons: [{ argument: '-an', reason }] };
  }
  const sound = place.sound ?? mainSound(source.sounds);
  const from = sound === undefined ? '0:a:0' : `0:${sound.index}`;
  const reasons = place.sound ? [reasonForFile(source.sounds, place.sound)] : reasonForSound(source.sounds, sound);
  const { audioWatermark } = settings;
  if ([command['c:a'], command.acodec].includes('copy')) {
    if (audioWatermark) throw new Refusal('Sound that is copied unchanged cannot have an audio watermark.');
    return { ...unmixed(['-map', `${from}?`]), reasons };
  }
  const padded = paddedSound(request, sound?.times ?? null);
  const filters = [
    ...userFilters(command.af, 'audio'),
    ...surroundMix(command, kind, sound),
    ...(isStreaming(command) ? [streamedSound(), ...padded.filter(({ name }) => name !== 'aresample')] : padded),
  ];
  const allReasons = [...reasons, ...reasonsOf(filters)];
  if (!audioWatermark) {
    return { ...unmixed(['-map', `${from}?`, ...(filters.length > 0 ? ['-af', writeFilters(filters)] : [])]), reasons: allReasons };
  }
  const label = place.sound ? `sound${place.sound.index}` : 'sound';
  const chains = mixWatermark(audioWatermark, { from, filters, label }, place.input);
  return { options: ['-map', `[${label}]`], chains, input: { name: AUDIO_WATERMARK, holds: 'media' }, reasons: allReasons };
}

const reasonForFile = (sounds: readonly SourceSound[], { index }: SourceSound): ArgumentReason => ({
  argument: `-map 0:${index}`,
  reason: `one of ${sounds.length} sound streams, each of which becomes a rendition`,
});

function reasonForSound(sounds: readonly SourceSound[], sound: SourceSound | undefined): readonly ArgumentReason[] {
  if (sound === undefined || sounds.length < 2) return [];
  const why = sound.isDefault ? 'the file marks it as default' : 'the first that is not a commentary or audio description';
  return [{ argument: `-map 0:${sound.index}`, reason: `one of ${sounds.length} sound streams: ${why}` }];
}

/** Peaks of a mix above this are reduced, so that it does not clip. */
const MAX_PEAK = 0.98;

/** The layouts to which surround sound is mixed, by their number of channels. */
const MIXED_LAYOUTS: ReadonlyMap<number, string> = new Map([
  [1, 'mono'],
  [2, 'stereo'],
]);

/**
 * Mixes surround sound down to stereo or mono with the loudness of the original (ITU-R BS.775): in floating point, because ffmpeg otherwise makes
 * the mix quieter by as much as it could clip, which depends on the encoder.
 */
function surroundMix(command: Parameters, kind: OutputKind, sound: SourceSound | undefined): readonly FilterNode[] {
  const channels = sound?.channels ?? 0;
  const layout = MIXED_LAYOUTS.get(Number(command.ac ?? command['ac:a'] ?? (kind.muxer === 'mp3' ? 2 : 0)));
  if (layout === undefined || channels <= 2) return [];
  const reason = `${channels} channels are mixed to ${layout} at their loudness`;
  return [
    filter('aformat', { sample_fmts: 'fltp', channel_layouts: layout }, reason),
    filter('alimiter', { limit: MAX_PEAK, level: 0 }, reason),
  ];
}

/** Sample rate in Hz while the watermark is prepared; the sound is resampled too, so that both match. */
const RATE = 48_000;

/**
 * Mixes the watermark into the sound, as the stream `label`: first at `position` seconds, then every `interval` seconds to the end. One interval
 * of the watermark is kept in memory, in 16 bits and mono: an hour takes 350 MB.
 */
function mixWatermark(
  { position, interval }: AudioWatermark,
  sound: { readonly from: string; readonly filters: readonly FilterNode[]; readonly label: string },
  input: number,
): readonly FilterChain[] {
  const repeat =
    interval === undefined || interval === 0
      ? []
      : [filter('apad', { whole_dur: interval }), filter('atrim', { end: interval }), filter('aloop', { loop: -1, size: interval * RATE })];
  const mark = [
    filter('aresample', { sample_rate: RATE }),
    filter('aformat', { sample_fmts: 's16', channel_layouts: 'mono' }),
    ...repeat,
    ...(position ? [filter('adelay', { delays: position * 1000, all: 1 })] : []),
  ];
  const mix = filter('amix', { inputs: 2, duration: 'first', dropout_transition: 0, normalize: 0 });
  const [plain, beep] = [sound.label.replace('sound', 'plain'), sound.label.replace('sound', 'beep')];
  return [
    { from: [sound.from], filters: [...sound.filters, filter('aresample', { sample_rate: RATE })], to: plain },
    { from: [`${input}:a:0`], filters: mark, to: beep },
    { from: [plain, beep], filters: [mix], to: sound.label },
  ];
}
