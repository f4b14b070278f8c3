import type { components } from '@media-delivery/sdk';
import type { MediaType } from '../elements/media-types';
import { controlOf, matches } from './parameter-control';
import type { Format } from './queries';

type Settings = components['schemas']['FormatSettingsDto'];

/** What the form of a format contains. An empty parameter is not set. */
export interface FormatValues extends Record<string, unknown> {
  readonly name: string;
  readonly usage: Format['usage'];
  readonly mediaTypes: MediaType[];
  readonly autoGenerate: MediaType[];
  readonly useInPlayer: boolean;
  /** Empty: no test mode. */
  readonly testSeconds: string;
  readonly parameters: Record<string, string>;
}

/** Length of renditions in test mode, where the format names none. */
const DEFAULT_TEST_SECONDS = 5;

/** The form of a format, or of a new one based on a blueprint. */
export function toValues(format: Format | null, blueprint?: Format): FormatValues {
  const settings = format?.settings ?? blueprint?.settings;
  const test = format?.settings.testMode;
  return {
    name: format?.name ?? '',
    usage: format?.usage ?? blueprint?.usage ?? 'transcoding',
    mediaTypes: [...(settings?.mediaTypes ?? [])],
    autoGenerate: [...(format?.settings.autoGenerate ?? [])],
    useInPlayer: settings?.useInPlayer ?? true,
    testSeconds: test ? String(test.seconds ?? DEFAULT_TEST_SECONDS) : '',
    parameters: Object.fromEntries(Object.entries(format?.settings.parameters ?? {}).map(([name, value]) => [name, String(value)])),
  };
}

/** The settings to send; those that the form does not show stay as they are. */
export function toSettings({ mediaTypes, autoGenerate, useInPlayer, testSeconds, parameters }: FormatValues): Settings {
  const set = Object.entries(parameters).filter(([, value]) => value !== '');
  return {
    ...{ mediaTypes, autoGenerate: autoGenerate.filter((type) => mediaTypes.includes(type)), useInPlayer },
    testMode: testSeconds === '' ? null : { seconds: Number(testSeconds) },
    parameters: Object.fromEntries(set.map(([name, value]) => [name, typed(value)])),
  };
}

const typed = (value: string): string | number | boolean =>
  value === 'true' ? true : /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;

/** The pattern or range that a value breaks; null: it is allowed or not set. */
export function problemOf(parameter: { command: string; regex: string }, value: string | undefined): string | null {
  if (!value || matches(parameter, value)) return null;
  const control = controlOf(parameter);
  return control.kind === 'number' ? `${control.min}–${control.max}` : parameter.regex;
}

/** The field of the form that a path of the input belongs to. */
export function fieldOf(path: string): string {
  if (path.startsWith('settings.testMode')) return 'testSeconds';
  return path.replace(/^settings\./, '').replace(/^(mediaTypes|autoGenerate)\..*/, '$1');
}
