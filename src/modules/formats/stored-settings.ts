import { isDeepStrictEqual } from 'node:util';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import { defined, withoutNulls, withoutNullsDeep } from '../../shared/validation/index.js';
import type { Format } from './format.entity.js';
import type { FormatFields } from './format-inputs.dto.js';
import type { FormatConfiguration, FormatSettings } from './format-settings.dto.js';
import { RAW_CONVERTERS, type RawConverter } from './format-settings.js';

/**
 * The effective settings of a format: its own, completed by its deprecated `configuration`, then by media types and file type of the
 * blueprint; players use it by default.
 */
export function resolveSettings(
  { settings, configuration }: Pick<Format, 'settings' | 'configuration'>,
  blueprint: Format | null,
): FormatSettings {
  const { mediaTypes, filetype } = blueprint?.settings ?? {};
  const { transcodingCreateNotAllowed: _, ...rest }: FormatConfiguration = configuration ?? {};
  return {
    ...(mediaTypes && { mediaTypes }),
    ...(filetype && { filetype }),
    useInPlayer: true,
    ...withoutNulls(rest),
    ...withoutNulls(settings),
  };
}

/** The settings to store: the stored ones with the keys that were sent, `settings` before the deprecated `command`; null removes a key. */
export function storedSettings(
  before: Pick<Format, 'settings' | 'configuration'> | null,
  { settings, configuration, raw }: FormatFields,
): Pick<Format, 'settings' | 'configuration'> {
  const own = present({ ...(settings === null ? {} : before?.settings), ...defined(raw ?? {}), ...settings });
  if (configuration === undefined) return { settings: own, configuration: before?.configuration ?? null };
  return { settings: own, configuration: configuration && present({ ...before?.configuration, ...configuration }) };
}

/**
 * Sets absent media types by the deprecated `type` (contract section 12.1). In an update the type of the response before changes nothing, so that
 * clients can send it back.
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

/** Removes keys that are null or undefined, at any depth, because cleared keys are not stored. */
const present = <T extends object>(values: T): Present<T> => withoutNullsDeep(values) as Present<T>;

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

/** Above 9, because raw parameters bypass the blueprint's allow-list. */
const RAW_PARAMETERS_LEVEL = 10;

type Stored = Pick<Format, 'settings' | 'configuration'>;
type Raw = Pick<FormatSettings, RawConverter>;
type Sent = FormatFields['raw'] | null;

/**
 * Refuses raw parameters of callers up to adminLevel 9, wherever they are in the input; those of the stored format may be sent back unchanged.
 * Throws `admin_level_not_sufficient`.
 */
export function requireLevelForRaw(caller: Caller, { settings, configuration, raw }: FormatFields, before: Stored | null): void {
  const sent: readonly Sent[] = [settings, configuration, raw];
  const known: readonly (Raw | null | undefined)[] = [before?.settings, before?.configuration];
  const isNew = (key: RawConverter) => (place: Sent) =>
    place?.[key] != null && !known.some((stored) => isDeepStrictEqual(stored?.[key], { ...place[key] }));
  if (RAW_CONVERTERS.some((key) => sent.some(isNew(key))))
    requireAdminLevel(caller, RAW_PARAMETERS_LEVEL, 'set parameters of a converter past the blueprint');
}

/** The settings to store of an update: for callers up to adminLevel 9 the raw parameters stay unchanged (contract section 12.1). */
export function keepRaw(caller: Caller, after: Stored, before: Stored): Stored {
  if (caller.adminLevel >= RAW_PARAMETERS_LEVEL) return after;
  const configuration = withRawOf(before.configuration ?? {}, after.configuration ?? {});
  const isEmpty = after.configuration === null && Object.keys(configuration).length === 0;
  return { settings: withRawOf(before.settings, after.settings), configuration: isEmpty ? null : configuration };
}

function withRawOf<Settings extends Raw>(before: Settings, { ffmpeg: _ffmpeg, imagemagick: _imagemagick, ...rest }: Settings) {
  const { ffmpeg, imagemagick } = before;
  return { ...rest, ...(ffmpeg !== undefined && { ffmpeg }), ...(imagemagick !== undefined && { imagemagick }) };
}
