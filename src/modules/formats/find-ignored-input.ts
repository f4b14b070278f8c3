import { isDeepStrictEqual } from 'node:util';
import { findUnknownMembers, type IgnoredInputResponse } from '../../shared/validation/index.js';
import type { ExplainedParameter } from './converters/merge-parameters.js';
import type { ChangedFormatResponse } from './format.dto.js';
import { commandOf } from './format-command.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';
import type { Parameters } from './format-settings.js';
import type { FoundFormat } from './formats.service.js';

/** Members of answers that clients send back, and that cannot be set. */
const ANSWERED: readonly (keyof ChangedFormatResponse)[] = [
  ...(['id', 'isBlueprint', 'flag', 'available', 'unavailableReason', 'creatorId'] as const),
  ...(['lastEditorId', 'lastEditorSupportUserId', 'createdAt', 'updatedAt', 'fromCache', 'ignored'] as const),
];

/**
 * What of an input a format did not take (contract section 12.1): unknown members, parameters that are not in the final command, and what has
 * no effect. `sent` is the body as it came, `input` what validation let through.
 */
export function findIgnoredInput(
  sent: Readonly<Record<string, unknown>>,
  input: FormatFieldsDto,
  { format, visible }: Pick<FoundFormat, 'format' | 'visible'>,
): IgnoredInputResponse[] {
  const { command, parameters } = commandOf(format, visible.value.byId.get(format.blueprintId ?? 0) ?? null);
  return [
    ...findUnknownMembers(sent, input, ANSWERED).flatMap((one) => explainCommand(one, sent.command, command)),
    ...findIgnoredType(input, format.settings.mediaTypes ?? []),
    ...parameters.filter(({ source, used }) => source === 'custom' && !used).flatMap((parameter) => locate(parameter, input)),
  ];
}

/** Of the deprecated `command` only what differs from the final command is told, so that it can be sent back. */
function explainCommand({ path, reason }: IgnoredInputResponse, sent: unknown, command: Parameters): IgnoredInputResponse[] {
  const [, name] = /^command\.(.*)$/s.exec(path) ?? [];
  if (name === undefined) return [{ path, reason }];
  if (isDeepStrictEqual((sent as Parameters)[name], command[name])) return [];
  return [{ path, reason: 'the command is made of the parameters; set settings.parameters' }];
}

function findIgnoredType({ type }: FormatFieldsDto, mediaTypes: readonly string[]): IgnoredInputResponse[] {
  if (type === undefined || type === null || type === mediaTypes[0]) return [];
  return [{ path: 'type', reason: `the media types say what it is made of: ${mediaTypes.join(', ')}` }];
}

/** Where in this input the parameter stands; it may have been stored before. */
function locate({ command, raw, reason }: ExplainedParameter, input: FormatFieldsDto): IgnoredInputResponse[] {
  if (raw === undefined) {
    const isSent = Object.hasOwn(input.settings?.parameters ?? {}, command);
    return isSent ? [{ path: `settings.parameters.${command}`, reason }] : [];
  }
  const place = (['settings', 'configuration', 'command'] as const).find((name) => Object.hasOwn(input[name]?.[raw] ?? {}, command));
  return place === undefined ? [] : [{ path: `${place}.${raw}.${command}`, reason }];
}
