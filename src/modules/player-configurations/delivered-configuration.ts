import type { PlayerConfiguration } from './player-configuration.entity.js';

/** A format that a configuration delivers. */
export interface DeliveredFormat {
  readonly formatId: number;
  readonly downloadable: boolean;
}

/** A configuration with its formats in their order. */
export type DeliveredConfiguration = PlayerConfiguration & { readonly formats: readonly DeliveredFormat[] };

/** What of a configuration may change. */
export type ChangeableConfiguration = Pick<
  DeliveredConfiguration,
  | 'name'
  | 'templateId'
  | 'width'
  | 'height'
  | 'configuration'
  | 'securitySettings'
  | 'settings'
  | 'autoGenerate'
  | 'lastEditorId'
  | 'lastEditorSupportUserId'
  | 'formats'
>;

export type NewConfiguration = ChangeableConfiguration & Pick<PlayerConfiguration, 'customerId' | 'type' | 'creatorId'>;
