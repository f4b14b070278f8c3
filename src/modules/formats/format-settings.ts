/** The specification's media types (Format, settings.mediaTypes). */
export const MEDIA_TYPES = ['video', 'audio', 'image', 'document'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** What a format is made with. */
export const CONVERTERS = ['ffmpeg', 'ffprobe', 'imagemagick', 'officeDocument', 'cli', 'original', 'copy'] as const;
export type Converter = (typeof CONVERTERS)[number];

/** The converters that take raw parameters: a member of that name in `settings`, `configuration` or `command`. */
export const RAW_CONVERTERS = ['ffmpeg', 'imagemagick'] as const;
export type RawConverter = (typeof RAW_CONVERTERS)[number];

export const FORMAT_USAGES = ['transcoding', 'preview'] as const;
export type FormatUsage = (typeof FORMAT_USAGES)[number];

/** Value of a command parameter; true: an option without a value. */
export type ParameterValue = string | number | boolean;

/** Options of a converter by their names, without the leading dash: `{ "crf": 23, "preset": "medium" }`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** What a blueprint lets its custom formats set: the whole value must match `regex`, for one of these media types. */
export interface AllowedParameter {
  readonly command: string;
  readonly regex: string;
  readonly mediaTypes: readonly MediaType[];
}

/** A further piece of metadata that is written into the file (specification, Metadata rules 5 and 6). */
export interface MetadataDefinition {
  readonly metaTitle: string;
  readonly type?: 'exif' | 'iptc';
  readonly key?: string;
  readonly languages?: readonly string[];
  readonly language?: string;
  /** Of `instructions` only. */
  readonly value?: string;
}

export interface Watermark {
  readonly mediaContainerId: number;
  readonly position?: 'tl' | 'tr' | 'bl' | 'br' | 'c';
  /** Width of the watermark in percent of the target's. */
  readonly widthFactor?: number;
  readonly gravity?: Gravity;
}

export interface AudioWatermark {
  readonly mediaContainerId: number;
  /** Seconds of the first occurrence. */
  readonly position?: number;
  /** Seconds until it repeats; absent or 0: once. */
  readonly interval?: number;
}

export const GRAVITIES = ['NorthWest', 'North', 'NorthEast', 'West', 'Center', 'East', 'SouthWest', 'South', 'SouthEast'] as const;
export type Gravity = (typeof GRAVITIES)[number];

/** Text on an image. */
export interface Annotation {
  readonly text: string;
  readonly fill?: string;
  readonly font?: string;
  readonly gravity?: Gravity;
  readonly pointSize?: number;
  /** Pixels from the edge that `gravity` names. */
  readonly relative?: number;
}

/** A running timecode in the picture. */
export interface BurnTimecode {
  readonly fontcolor?: string;
  /** A number or a numeric string, kept as it was sent. */
  readonly fontsize?: number | string;
  /** Pixels; wins over fontsize. */
  readonly font?: number;
  readonly box?: 0 | 1;
  readonly boxcolor?: string;
  readonly boxborderw?: number;
  readonly position?: Gravity;
  readonly gravity?: Gravity;
  /** 0: starts at 10:00:00:00; 1: at 00:00:00:00. */
  readonly offset?: 0 | 1;
}

/** Settings of a format (specification, Format settings). A blueprint's also carry `allowedParameters`. */
export interface FormatSettings {
  readonly mediaTypes?: readonly MediaType[];
  readonly useInPlayer?: boolean;
  readonly autoGenerate?: readonly MediaType[];
  readonly previewFormat?: boolean;
  readonly createThumbnailVersions?: boolean;
  readonly filetype?: string;
  readonly parameters?: Parameters;
  readonly allowedParameters?: readonly AllowedParameter[];
  readonly metadata?: readonly MetadataDefinition[];
  readonly watermark?: Watermark;
  readonly audioWatermark?: AudioWatermark;
  readonly annotation?: Annotation;
  readonly burnTimecode?: BurnTimecode;
  /** Only the first seconds are made. */
  readonly testMode?: { readonly seconds?: number };
  /** Raw converter parameters (adminLevel above 9): past the blueprint's allow-list. */
  readonly ffmpeg?: Parameters;
  readonly imagemagick?: Parameters;
}

/** The deprecated twin of the settings: fills what they leave open. */
export interface FormatConfiguration
  extends Omit<FormatSettings, 'createThumbnailVersions' | 'filetype' | 'parameters' | 'allowedParameters' | 'metadata' | 'testMode'> {
  /** Whether the format may not be asked for directly. */
  readonly transcodingCreateNotAllowed?: boolean;
}
