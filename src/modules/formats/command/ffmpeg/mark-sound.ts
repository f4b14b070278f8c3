import type { AudioWatermark } from '../../format-settings.js';
import { type FilterChain, type FilterNode, filter } from './filter-graph.js';

/** Hertz, of the mark while it is prepared; the sound goes through it too, so that both fit. */
const RATE = 48_000;

/**
 * The sound with a mark mixed into it, as the stream `sound`: first at `position` seconds, then every `interval` seconds to the end. The
 * mark is kept in memory for one interval, in 16 bits and mono: an hour of it takes 350 MB.
 */
export function markSound({ position, interval }: AudioWatermark, sound: readonly FilterNode[], input: number): readonly FilterChain[] {
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
