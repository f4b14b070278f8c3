import { defined } from '../../shared/validation/index.js';
import type { Format } from './format.entity.js';
import type { FormatFields } from './format-fields.js';

/** What is stored: over what was there the keys that were sent; a key that is null goes. */
export function storedSettings(
  before: Format | null,
  { settings, configuration, raw }: FormatFields,
): Pick<Format, 'settings' | 'configuration'> {
  const own = settings === null ? {} : present({ ...before?.settings, ...settings, ...defined(raw ?? {}) });
  if (configuration === undefined) return { settings: own, configuration: before?.configuration ?? null };
  return { settings: own, configuration: configuration && present({ ...before?.configuration, ...configuration }) };
}

/** Without keys that are null or undefined, to the last nested object: what was cleared is not stored. */
function present<T extends object>(values: T): Present<T> {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, isPlain(value) ? present(value) : value])) as Present<T>;
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

const isPlain = (value: unknown): value is object => typeof value === 'object' && !Array.isArray(value);
