import { isDeepStrictEqual } from 'node:util';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import type { Format } from './format.entity.js';
import type { FormatFields } from './format-fields.js';
import { type FormatSettings, RAW_CONVERTERS, type RawConverter } from './format-settings.js';

/** Above 9: raw parameters are handed to a program past the blueprint's allow-list. */
const RAW_PARAMETERS_LEVEL = 10;

type Stored = Pick<Format, 'settings' | 'configuration'>;
type Raw = Pick<FormatSettings, RawConverter>;
type Sent = FormatFields['raw'] | null;

/**
 * Refuses raw parameters of callers up to adminLevel 9, in whichever place they were sent; those of a stored format may be sent back as they
 * are. Throws `admin_level_not_sufficient`.
 */
export function requireLevelForRaw(caller: Caller, { settings, configuration, raw }: FormatFields, before: Stored | null): void {
  const sent: readonly Sent[] = [settings, configuration, raw];
  const known: readonly (Raw | null | undefined)[] = [before?.settings, before?.configuration];
  const isNew = (key: RawConverter) => (place: Sent) =>
    place?.[key] != null && !known.some((stored) => isDeepStrictEqual(stored?.[key], { ...place[key] }));
  if (RAW_CONVERTERS.some((key) => sent.some(isNew(key))))
    requireAdminLevel(caller, RAW_PARAMETERS_LEVEL, 'set parameters of a converter past the blueprint');
}

/** What is stored of an update by this caller: up to adminLevel 9 the raw parameters stay where and as they are (contract section 12.1). */
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
