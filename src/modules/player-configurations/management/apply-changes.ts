import { type Caller, editorOf } from '../../../shared/auth/index.js';
import type { MediaType } from '../../formats/index.js';
import type { ChangeableConfiguration, NewConfiguration } from '../delivered-configuration.js';
import type { PlayerSettingsDto } from '../settings/player-settings.dto.js';
import type { SecuritySettingsDto } from '../settings/security-settings.dto.js';
import { mergeMembers } from './merge-members.js';

/** What is wanted of a configuration: undefined leaves what is there, null clears it. The formats are all of them. */
export interface ConfigurationChanges {
  readonly formats: readonly { readonly formatId: number; readonly downloadable?: boolean | null }[];
  readonly name?: string;
  readonly templateId?: number;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly configuration?: object | null;
  readonly securitySettings?: SecuritySettingsDto | null;
  readonly settings?: PlayerSettingsDto | null;
  readonly autoGenerate?: boolean | null;
}

export type WantedConfiguration = ConfigurationChanges & { readonly name: string; readonly type: MediaType; readonly templateId: number };

const NOTHING = { width: null, height: null, configuration: null, securitySettings: null, settings: null, autoGenerate: false };

/** A configuration as it will be. */
export function applyChanges(
  before: Omit<ChangeableConfiguration, 'lastEditorId' | 'lastEditorSupportUserId' | 'formats'>,
  changes: ConfigurationChanges,
  caller: Pick<Caller, 'userId' | 'supportUserId'>,
): ChangeableConfiguration {
  return {
    name: changes.name ?? before.name,
    templateId: changes.templateId ?? before.templateId,
    width: changes.width === undefined ? before.width : changes.width,
    height: changes.height === undefined ? before.height : changes.height,
    configuration: mergeMembers(before.configuration, changes.configuration),
    securitySettings: mergeMembers(before.securitySettings, changes.securitySettings),
    settings: mergeMembers(before.settings, changes.settings),
    autoGenerate: changes.autoGenerate === undefined ? before.autoGenerate : (changes.autoGenerate ?? false),
    ...editorOf(caller),
    formats: changes.formats.map(({ formatId, downloadable }) => ({ formatId, downloadable: downloadable ?? false })),
  };
}

export const toNewConfiguration = (
  wanted: WantedConfiguration,
  caller: Pick<Caller, 'userId' | 'customerId' | 'supportUserId'>,
): NewConfiguration => ({
  ...applyChanges({ ...NOTHING, name: wanted.name, templateId: wanted.templateId }, wanted, caller),
  customerId: caller.customerId,
  creatorId: caller.userId,
  type: wanted.type,
});
