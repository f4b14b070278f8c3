import type {
  Converter,
  FormatConfiguration,
  FormatSettings,
  FormatUsage,
  MediaType,
  Parameters,
  RawConverter,
} from './format-settings.js';

/** A key of these that is null is cleared, one that is absent stays. */
type Nullable<T> = { readonly [Key in keyof T]?: T[Key] | null };

/** What is wanted of a format. */
export interface FormatFields {
  readonly name: string;
  readonly usage?: FormatUsage;
  readonly settings?: Nullable<FormatSettings> | null;
  readonly configuration?: Nullable<FormatConfiguration> | null;
  /** Raw parameters of the converters. */
  readonly raw?: Nullable<Record<RawConverter, Parameters>>;
  /** Deprecated: the media type, where no media types are said. */
  readonly type?: MediaType | null;
}

export interface NewFormat extends FormatFields {
  readonly blueprintId: number;
  readonly converter: Converter;
}

export interface FormatChanges extends FormatFields {
  readonly id: number;
  readonly blueprintId?: number | null;
  readonly converter?: Converter | null;
}
