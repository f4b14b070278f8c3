/** One filter of a chain, every part checked. */
export interface Filter {
  readonly name: string;
  /** As written between the colons: `1280`, `flags=lanczos`. */
  readonly args: readonly string[];
}

/** Filters that only calculate: none reads or writes a file, opens an address or runs a command. */
const FILTERS = {
  video: new Set(
    `avgblur bwdif boxblur crop cropdetect deband deblock deflicker dejudder eq fade fieldorder format fps gblur hflip histeq hqdn3d
    hue idet nlmeans normalize pad phase pullup rotate scale setdar setfield setsar smartblur tblend thumbnail tinterlace tonemap
    transpose unsharp vflip vibrance vignette w3fdif yadif zscale`.split(/\s+/),
  ),
  audio: new Set(
    `acompressor aecho aformat afade agate alimiter allpass anequalizer anlmdn aresample atempo bandpass bandreject bass compand
    dcshift deesser dynaudnorm earwax equalizer extrastereo highpass highshelf loudnorm lowpass lowshelf silenceremove speechnorm
    stereotools stereowiden treble volume`.split(/\s+/),
  ),
} as const;
const MAX_FILTERS = 20;
/** A number, a word, or two numbers with a slash or an x. Nothing here can end a filter, quote, expand, or be a path. */
const VALUE = /^(-?\d{1,7}(\.\d{1,6})?([dD][bB]|[kKM])?|\d{1,5}[/x]\d{1,5}|[A-Za-z][A-Za-z0-9_|+]{0,63})$/;
const KEY = /^[A-Za-z][A-Za-z0-9_]{0,23}$/;

/**
 * Reads a chain of filters in the part of ffmpeg's notation that cannot do harm: `scale=1280:-2:flags=lanczos,fps=25`. No expressions, no
 * quotes, no labels. Null when it is anything else.
 */
export function parseFilters(text: string, kind: 'video' | 'audio'): readonly Filter[] | null {
  const parts = text.split(',');
  if (parts.length > MAX_FILTERS) return null;
  const filters = parts.map((part) => parseFilter(part, kind));
  return filters.every((filter) => filter !== null) ? filters : null;
}

function parseFilter(text: string, kind: 'video' | 'audio'): Filter | null {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const args = equals === -1 ? [] : text.slice(equals + 1).split(':');
  return FILTERS[kind].has(name) && args.every(isArgument) ? { name, args } : null;
}

function isArgument(text: string): boolean {
  const equals = text.indexOf('=');
  if (equals === -1) return VALUE.test(text);
  const key = text.slice(0, equals);
  return KEY.test(key) && !/file/i.test(key) && VALUE.test(text.slice(equals + 1));
}
