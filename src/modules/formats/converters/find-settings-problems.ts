import { isColor } from '../../../shared/color.js';
import type { Annotation, AudioWatermark, BurnTimecode, FormatSettings } from '../format-settings.dto.js';
import { findFont } from './annotate.js';
import { decimal, integer, oneOf, type ParameterRule } from './converter.js';
import { type Converter, getConverter } from './converters.js';
import { isGravity } from './place.js';

/** A problem of a setting; `path` with dots. */
interface SettingsProblem {
  readonly path: string;
  readonly message: string;
}

interface Rule {
  readonly holds: ParameterRule;
  readonly message: string;
}

const COLOR: Rule = {
  holds: isColor,
  message: 'must be a colour: a name of CSS or #rrggbb, and an opacity behind it if wanted (black@0.5)',
};
const OPAQUE: Rule = { holds: (text) => isColor(text) && !text.includes('@'), message: 'must be a colour: a name of CSS or #rrggbb' };
const GRAVITY: Rule = {
  holds: isGravity,
  message: 'must be one of NorthWest, North, NorthEast, West, Center, East, SouthWest, South, SouthEast',
};
const PIXELS: Rule = { holds: integer(1, 2_000), message: 'must be a whole number of pixels from 1 to 2000' };
const BIT: Rule = { holds: oneOf('0', '1'), message: 'must be 0 or 1' };

const TIMECODE: Readonly<Record<keyof BurnTimecode, Rule>> = {
  fontcolor: COLOR,
  boxcolor: COLOR,
  fontsize: PIXELS,
  font: PIXELS,
  box: BIT,
  boxborderw: { holds: integer(0, 200), message: 'must be a whole number of pixels from 0 to 200' },
  position: GRAVITY,
  gravity: GRAVITY,
  offset: BIT,
};
const ANNOTATION: Readonly<Record<Exclude<keyof Annotation, 'text'>, Rule>> = {
  fill: OPAQUE,
  font: { holds: (text) => findFont(text) !== null, message: 'must be DejaVu-Sans, DejaVu-Serif or DejaVu-Sans-Mono, or its -Bold' },
  gravity: GRAVITY,
  pointSize: PIXELS,
  relative: { holds: integer(0, 16_384), message: 'must be a whole number of pixels from 0 to 16384' },
};
const WATERMARK: Readonly<Record<'position' | 'widthFactor' | 'gravity', Rule>> = {
  position: { holds: oneOf('tl', 'tr', 'bl', 'br', 'c'), message: 'must be tl, tr, bl, br or c' },
  widthFactor: { holds: integer(0, 100), message: 'must be a whole number from 0 to 100' },
  gravity: GRAVITY,
};
const SECONDS: Rule = { holds: integer(0, 86_400), message: 'must be a whole number of seconds, at most a day' };
const AUDIO_WATERMARK: Readonly<Record<Exclude<keyof AudioWatermark, 'mediaContainerId'>, Rule>> = {
  position: SECONDS,
  interval: { holds: integer(0, 3_600), message: 'must be a whole number of seconds, at most an hour' },
};
const TEST_MODE = { seconds: { holds: decimal(1, 600), message: 'must be a number of seconds from 1 to 600' } };

/**
 * Finds every problem that keeps a converter from working with these settings, whatever the source. It checks values as they are stored, because
 * it also runs before a transcoding: a setting may come from an earlier version, or from the customer's individual configuration.
 */
export function findSettingsProblems(converter: Converter, settings: FormatSettings): readonly SettingsProblem[] {
  return [
    ...findFiletypeProblem(converter, settings.filetype),
    ...check('settings.burnTimecode', settings.burnTimecode, TIMECODE),
    ...findTextProblem(settings.annotation),
    ...check('settings.annotation', settings.annotation, ANNOTATION),
    ...check('settings.watermark', settings.watermark, WATERMARK),
    ...check('settings.audioWatermark', settings.audioWatermark, AUDIO_WATERMARK),
    ...check('settings.testMode', settings.testMode, TEST_MODE),
  ];
}

function check<Key extends string>(
  path: string,
  sent: { readonly [key in Key]?: unknown } | undefined,
  rules: Readonly<Record<Key, Rule>>,
): SettingsProblem[] {
  return Object.entries<Rule>(rules).flatMap(([key, { holds, message }]) => {
    const value = sent?.[key as Key];
    const isFine = value === undefined || value === null || (typeof value !== 'object' && holds(String(value)));
    return isFine ? [] : [{ path: `${path}.${key}`, message: `${key} ${message}.` }];
  });
}

const findTextProblem = (annotation: { readonly text: unknown } | undefined): SettingsProblem[] =>
  !annotation || typeof annotation.text === 'string' ? [] : [{ path: 'settings.annotation.text', message: 'text must be a text.' }];

function findFiletypeProblem(converter: Converter, filetype: unknown): SettingsProblem[] {
  const { filetypes, defaultFiletype } = getConverter(converter);
  if (filetypes === null || filetypes.includes(String(filetype ?? defaultFiletype))) return [];
  return [{ path: 'settings.filetype', message: `filetype must be one of ${filetypes.join(', ')}.` }];
}
