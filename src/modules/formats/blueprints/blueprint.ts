import type { AllowedParameter, Converter, FormatSettings, FormatUsage, MediaType } from '../format-settings.js';

/** A format that the service manages and custom formats are based on. */
export interface Blueprint {
  /** Its name for ever: what is seeded is recognised by it. */
  readonly key: string;
  readonly name: string;
  readonly converter: Converter;
  readonly usage: FormatUsage;
  readonly settings: FormatSettings;
}

/** Lets custom formats for these media types set parameters: `{ crf: '^[0-9]{1,2}$' }`. */
export const allow = (mediaTypes: readonly MediaType[], patterns: Readonly<Record<string, string>>): readonly AllowedParameter[] =>
  Object.entries(patterns).map(([command, regex]) => ({ command, regex, mediaTypes }));
