import { type Caller, editorOf } from '../../shared/auth/index.js';
import type { FieldProblem } from '../../shared/errors.js';
import { withoutNullsDeep } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import type { ChangeableConfiguration, NewConfiguration, PlayerConfiguration } from './player-configuration.entity.js';
import { isTemplateOfType, TEMPLATE_MESSAGE } from './player-configuration-inputs.dto.js';
import type { PlayerSettingsDto } from './settings/player-settings.dto.js';
import type { SecuritySettingsDto } from './settings/security-settings.dto.js';

/** Changes of a configuration: undefined leaves a member unchanged, null clears it, and `formats` replaces the whole list. */
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
  readonly automaticFormats?: boolean | null;
}

export type WantedConfiguration = ConfigurationChanges & { readonly name: string; readonly type: MediaType; readonly templateId: number };

const DEFAULTS = {
  width: null,
  height: null,
  configuration: null,
  securitySettings: null,
  settings: null,
  autoGenerate: false,
  automaticFormats: false,
};

/** The configuration after the changes. */
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
    automaticFormats: changes.automaticFormats === undefined ? before.automaticFormats : (changes.automaticFormats ?? false),
    ...editorOf(caller),
    formats: changes.formats.map(({ formatId, downloadable }) => ({ formatId, downloadable: downloadable ?? false })),
  };
}

export const toNewConfiguration = (
  wanted: WantedConfiguration,
  caller: Pick<Caller, 'userId' | 'customerId' | 'supportUserId'>,
): NewConfiguration => ({
  ...applyChanges({ ...DEFAULTS, name: wanted.name, templateId: wanted.templateId }, wanted, caller),
  customerId: caller.customerId,
  creatorId: caller.userId,
  type: wanted.type,
});

/**
 * Applies a change to a settings object: each member that was sent replaces the stored one as a whole, or clears it with null; null for the object
 * clears all members.
 */
export function mergeMembers<Settings extends object>(before: Settings | null, sent: object | null | undefined): Settings | null {
  if (sent === undefined) return before;
  return sent && (withoutNullsDeep({ ...before, ...sent }) as Settings); // null counts as absent, at any depth
}

/** Finds the parts of a change that contradict the type, which is fixed at creation. */
export function findContradictions(
  { type }: Pick<PlayerConfiguration, 'type'>,
  sent: { readonly type?: unknown; readonly templateId?: number },
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (sent.type !== undefined && sent.type !== null && sent.type !== type) {
    problems.push({ path: 'type', code: 'type_unchangeable', message: `the type is ${type} and cannot be changed` });
  }
  if (sent.templateId !== undefined && !isTemplateOfType(sent.templateId, type)) {
    problems.push({ path: 'templateId', code: 'is_template_of_type', message: TEMPLATE_MESSAGE });
  }
  return problems;
}
