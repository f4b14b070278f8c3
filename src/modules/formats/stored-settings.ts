import { defined } from '../../shared/validation/index.js';
import type { Format } from './format.entity.js';
import type { FormatFields } from './format-fields.js';
import { resolveSettings } from './resolve-settings.js';

/** What is stored: over what was there the keys that were sent, `settings` before the deprecated `command`; a key that is null goes. */
export function storedSettings(
  before: Pick<Format, 'settings' | 'configuration'> | null,
  { settings, configuration, raw }: FormatFields,
): Pick<Format, 'settings' | 'configuration'> {
  const own = present({ ...(settings === null ? {} : before?.settings), ...defined(raw ?? {}), ...settings });
  if (configuration === undefined) return { settings: own, configuration: before?.configuration ?? null };
  return { settings: own, configuration: configuration && present({ ...before?.configuration, ...configuration }) };
}

/**
 * Fills media types that nothing else says from the deprecated `type` (contract section 12.1). In an update the type that was answered before
 * changes nothing, so that it can be sent back.
 */
export function fillMediaTypes(
  stored: Pick<Format, 'settings' | 'configuration'>,
  { type }: FormatFields,
  { before, blueprint }: { readonly before: Format | null; readonly blueprint: Format | null },
): Pick<Format, 'settings' | 'configuration'> {
  const [shown] = before ? (resolveSettings(stored, blueprint).mediaTypes ?? []) : [];
  if (!type || type === shown || stored.settings.mediaTypes || stored.configuration?.mediaTypes) return stored;
  return { ...stored, settings: { ...stored.settings, mediaTypes: [type] } };
}

/** Without keys that are null or undefined, to the last nested object and list: what was cleared is not stored. */
function present<T extends object>(values: T): Present<T> {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutNull(value)])) as Present<T>;
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  return typeof value === 'object' && value !== null ? present(value) : value;
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], null> };
