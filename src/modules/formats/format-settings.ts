import type { MediaType } from '../media/index.js';

/** The converters with raw parameters: a member of that name in `settings`, `configuration` or `command`. */
export const RAW_CONVERTERS = ['ffmpeg', 'imagemagick'] as const;
export type RawConverter = (typeof RAW_CONVERTERS)[number];

export const FORMAT_USAGES = ['transcoding', 'preview'] as const;
export type FormatUsage = (typeof FORMAT_USAGES)[number];

/** Value of a command parameter; true: an option without a value. */
export type ParameterValue = string | number | boolean;

/** Options of a converter by their names, without the leading dash: `{ "crf": 23, "preset": "medium" }`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** A parameter that formats based on a blueprint may set for these media types; the whole value must match `regex`. */
export interface AllowedParameter {
  readonly command: string;
  readonly regex: string;
  readonly mediaTypes: readonly MediaType[];
}

export const GRAVITIES = ['NorthWest', 'North', 'NorthEast', 'West', 'Center', 'East', 'SouthWest', 'South', 'SouthEast'] as const;
export type Gravity = (typeof GRAVITIES)[number];
