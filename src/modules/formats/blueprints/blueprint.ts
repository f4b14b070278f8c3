import type { MediaType } from '../../media/index.js';
import type { Converter } from '../converters/converters.js';
import type { FormatSettings } from '../format-settings.dto.js';
import type { AllowedParameter, FormatUsage } from '../format-settings.js';

/** A format of the service, on which customers' formats are based. */
export interface Blueprint {
  /** Must never change, because the stored blueprint is found by it. */
  readonly key: string;
  readonly name: string;
  readonly converter: Converter;
  readonly usage: FormatUsage;
  readonly settings: FormatSettings;
}

/** Allows formats for these media types to set parameters: `{ crf: '^[0-9]{1,2}$' }`. */
export const allow = (mediaTypes: readonly MediaType[], patterns: Readonly<Record<string, string>>): readonly AllowedParameter[] =>
  Object.entries(patterns).map(([command, regex]) => ({ command, regex, mediaTypes }));

// Patterns that several blueprints share. They are anchored, so that each shows that it must match the whole value.

/** Pixels of one side. */
export const SIDE = '^[1-9][0-9]{1,3}$';
/** 10 to 99999 kbit/s. */
export const BITRATE = '^[1-9][0-9]{1,4}k$';
export const FRAME_RATE = '^(24|25|30|50|60|24000/1001|30000/1001|60000/1001)$';
export const SAMPLE_RATE = '^(22050|32000|44100|48000)$';
export const CHANNELS = '^[12]$';
/** Percent. */
export const QUALITY = '^([1-9][0-9]?|100)$';
/** Seconds from the beginning. */
export const POSITION = '^[0-9]{1,4}([.][0-9]{1,3})?$';
/** A bounding box of which one side may be absent; with `>` pictures are never enlarged. */
export const BOX = '^([1-9][0-9]{0,3}x([1-9][0-9]{0,3})?|x[1-9][0-9]{0,3})>?$';
/** EBU R 128: integrated loudness, true peak and range. */
export const LOUDNESS = '^loudnorm=I=-(1[0-9]|2[0-9]):TP=-[0-9]([.][0-9])?:LRA=[1-9][0-9]?$';
/** Quality scale of ffmpeg's JPEG encoder: 2 is the best. */
export const JPEG_SCALE = '^([2-9]|[12][0-9]|3[01])$';
export const YES = '^true$';
