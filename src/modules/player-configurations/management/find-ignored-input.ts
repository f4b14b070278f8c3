import { isDeepStrictEqual } from 'node:util';
import { findUnknownMembers, type IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { UpdatedPlayerConfigurationResponse } from './player-configuration.dto.js';
import type { PlayerConfigurationFieldsDto } from './player-configuration-fields.dto.js';

/** Members of answers that clients send back, and that cannot be set. */
const ANSWERED: readonly (keyof UpdatedPlayerConfigurationResponse)[] = [
  ...([
    'id',
    'customerId',
    'creatorId',
    'lastEditorId',
    'lastEditorSupportUserId',
    'freshness',
    'countEmbeds',
    'removedFormats',
    'ignored',
  ] as const),
];
const ANSWERED_OF_FORMAT = /^formats\.\d+\.playerConfigurationId$/;

/**
 * What of an input a player configuration of this type did not take (contract section 12.1): unknown members, and the deprecated
 * `configuration.mediaTypes`, which is kept and has no effect.
 */
export function findIgnoredInput(
  sent: Readonly<Record<string, unknown>>,
  input: PlayerConfigurationFieldsDto,
  type: string,
): IgnoredInputResponse[] {
  const { mediaTypes } = input.configuration ?? {};
  const hasNoEffect = mediaTypes !== undefined && mediaTypes !== null && !isDeepStrictEqual(mediaTypes, [type]);
  return [
    ...findUnknownMembers(sent, input, ANSWERED).filter(({ path }) => !ANSWERED_OF_FORMAT.test(path)),
    ...(hasNoEffect ? [{ path: 'configuration.mediaTypes', reason: `it has no effect: the type says what is delivered (${type})` }] : []),
  ];
}
