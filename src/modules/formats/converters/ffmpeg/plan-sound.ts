import type { AudioWatermark } from '../../format-settings.dto.js';
import { AUDIO_WATERMARK, type BuildRequest, Refusal } from '../converter.js';
import {
  type FilterChain,
  type FilterNode,
  filter,
  isOn,
  type OutputKind,
  type StreamPlan,
  userFilters,
  writeFilters,
} from './filter-graph.js';

/** Sample rate in Hz while the watermark is prepared; the sound is resampled too, so that both match. */
const RATE = 48_000;

/** How the sound is made. A source without sound gets no audio watermark. */
export function planSound({ command, settings, source }: BuildRequest, kind: OutputKind, nextInput: number): StreamPlan {
  if (kind.holds === 'audio' && source.hasAudio === false) throw new Refusal('The source has no sound.');
  if (kind.holds === 'image' || kind.options.includes('-an') || isOn(command, 'an') || source.hasAudio === false) {
    return { options: kind.options.includes('-an') ? [] : ['-an'], chains: [], input: null };
  }
  const filters = userFilters(command.af, 'audio');
  const { audioWatermark } = settings;
  if ([command['c:a'], command.acodec].includes('copy')) {
    if (audioWatermark) throw new Refusal('Sound that is copied unchanged cannot have an audio watermark.');
    return { options: ['-map', '0:a:0?'], chains: [], input: null };
  }
  if (!audioWatermark)
    return { options: ['-map', '0:a:0?', ...(filters.length > 0 ? ['-af', writeFilters(filters)] : [])], chains: [], input: null };
  const chains = mixWatermark(audioWatermark, filters, nextInput);
  return { options: ['-map', '[sound]'], chains, input: { name: AUDIO_WATERMARK, holds: 'media' } };
}

/**
 * Mixes the watermark into the sound, as the stream `sound`: first at `position` seconds, then every `interval` seconds to the end. One interval
 * of the watermark is kept in memory, in 16 bits and mono: an hour takes 350 MB.
 */
function mixWatermark({ position, interval }: AudioWatermark, sound: readonly FilterNode[], input: number): readonly FilterChain[] {
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
  return [
    { from: ['0:a:0'], filters: [...sound, filter('aresample', { sample_rate: RATE })], to: 'plain' },
    { from: [`${input}:a:0`], filters: mark, to: 'beep' },
    { from: ['plain', 'beep'], filters: [mix], to: 'sound' },
  ];
}
