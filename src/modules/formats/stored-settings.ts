import { isDeepStrictEqual } from 'node:util';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import { defined, withoutNulls, withoutNullsDeep } from '../../shared/validation/index.js';
import type { Format } from './format.entity.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.dto.js';
import { RAW_CONVERTERS, type RawConverter } from './format-settings.js';

type StoredSettings = Pick<Format, 'settings' | 'configuration'>;

/**
 * Returns the effective settings of a format: its own, completed by its deprecated `configuration`, then by the media types and file type of the
 * blueprint. By default players use it, unless it is a drawing.
 */
export function resolveSettings({ settings, configuration }: StoredSettings, blueprint: Format | null): FormatSettings {
  const { mediaTypes, filetype, parameters } = blueprint?.settings ?? {};
  const { transcodingCreateNotAllowed: _, ...rest }: FormatConfiguration = configuration ?? {};
  return {
    ...(mediaTypes && { mediaTypes }),
    ...(filetype && { filetype }),
    useInPlayer: parameters?.draw === undefined,
    ...withoutNulls(rest),
    ...withoutNulls(settings),
  };
}

/** Merges the stored settings with the keys that were sent: `settings` wins over the deprecated `command`, and null removes a key. */
export function storedSettings(before: StoredSettings | null, { settings, configuration, command }: FormatFieldsDto): StoredSettings {
  const own = withoutNullsDeep({
    ...(settings === null ? {} : before?.settings),
    ...defined(command ?? {}),
    ...settings,
  }) as FormatSettings;
  if (configuration === undefined) return { settings: own, configuration: before?.configuration ?? null };
  return {
    settings: own,
    configuration: configuration && (withoutNullsDeep({ ...before?.configuration, ...configuration }) as FormatConfiguration),
  };
}

/**
 * Sets absent media types from the deprecated `type` (contract section 12.1). In an update, a type that equals the previous response changes
 * nothing, so that clients can send it back.
 */
export function fillMediaTypes(
  stored: StoredSettings,
  { type }: FormatFieldsDto,
  { before, blueprint }: { readonly before: Format | null; readonly blueprint: Format | null },
): StoredSettings {
  const [shown] = before ? (resolveSettings(stored, blueprint).mediaTypes ?? []) : [];
  if (!type || type === shown || stored.settings.mediaTypes || stored.configuration?.mediaTypes) return stored;
  return { ...stored, settings: { ...stored.settings, mediaTypes: [type] } };
}

/** Above 9, because raw parameters bypass the blueprint's allow-list. */
const RAW_PARAMETERS_LEVEL = 10;

type Raw = Pick<FormatSettings, RawConverter>;
type Sent = Partial<Record<RawConverter, object | null>> | null | undefined;

/**
 * Refuses raw parameters anywhere in the input of callers up to adminLevel 9, who may only send back the stored ones unchanged. Throws
 * `admin_level_not_sufficient`.
 */
export function requireLevelForRaw(
  caller: Caller,
  { settings, configuration, command }: FormatFieldsDto,
  before: StoredSettings | null,
): void {
  const sent: readonly Sent[] = [settings, configuration, command];
  const known: readonly (Raw | null | undefined)[] = [before?.settings, before?.configuration];
  const isNew = (key: RawConverter) => (place: Sent) =>
    place?.[key] != null && !known.some((stored) => isDeepStrictEqual(stored?.[key], { ...place[key] }));
  if (RAW_CONVERTERS.some((key) => sent.some(isNew(key))))
    requireAdminLevel(caller, RAW_PARAMETERS_LEVEL, 'set parameters of a converter past the blueprint');
}

/** Returns the settings to store; for callers up to adminLevel 9, the raw parameters stay unchanged (contract section 12.1). */
export function keepRaw(caller: Caller, after: StoredSettings, before: StoredSettings): StoredSettings {
  if (caller.adminLevel >= RAW_PARAMETERS_LEVEL) return after;
  const configuration = withRawOf(before.configuration ?? {}, after.configuration ?? {});
  const isEmpty = after.configuration === null && Object.keys(configuration).length === 0;
  return { settings: withRawOf(before.settings, after.settings), configuration: isEmpty ? null : configuration };
}

function withRawOf<Settings extends Raw>(before: Settings, { ffmpeg: _ffmpeg, imagemagick: _imagemagick, ...rest }: Settings) {
  const { ffmpeg, imagemagick } = before;
  return { ...rest, ...(ffmpeg !== undefined && { ffmpeg }), ...(imagemagick !== undefined && { imagemagick }) };
}
