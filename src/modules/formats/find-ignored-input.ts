import { isDeepStrictEqual } from 'node:util';
import { findUnknownMembers, type IgnoredInputResponse } from '../../shared/validation/index.js';
import type { ExplainedParameter } from './converters/merge-parameters.js';
import type { ChangedFormatResponse } from './format.dto.js';
import { commandOf } from './format-command.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';
import type { Parameters } from './format-settings.js';
import type { FoundFormat } from './formats.service.js';

/** Members of responses that clients send back although they cannot be set. */
const RESPONSE_ONLY: readonly (keyof ChangedFormatResponse)[] = [
  ...(['id', 'isBlueprint', 'flag', 'available', 'unavailableReason', 'creatorId'] as const),
  ...(['lastEditorId', 'lastEditorSupportUserId', 'createdAt', 'updatedAt', 'fromCache', 'ignored'] as const),
];

/**
 * Finds the parts of an input that have no effect (contract section 12.1): unknown members, parameters that are not in the final command, and
 * others without effect. `sent` is the body as received, `input` the validated one.
 */
export function findIgnoredInput(
  sent: Readonly<Record<string, unknown>>,
  input: FormatFieldsDto,
  { format, visible }: Pick<FoundFormat, 'format' | 'visible'>,
): IgnoredInputResponse[] {
  const { command, parameters } = commandOf(format, visible.value.byId.get(format.blueprintId ?? 0) ?? null);
  return [
    ...findUnknownMembers(sent, input, RESPONSE_ONLY).flatMap((one) => explainCommand(one, sent.command, command)),
    ...findIgnoredType(input, format.settings.mediaTypes ?? []),
    ...parameters.filter(({ source, used }) => source === 'custom' && !used).flatMap((parameter) => locate(parameter, input)),
  ];
}

/** Of the deprecated `command` only differences to the final command are reported, so that clients can send it back. */
function explainCommand({ path, reason }: IgnoredInputResponse, sent: unknown, command: Parameters): IgnoredInputResponse[] {
  const [, name] = /^command\.(.*)$/s.exec(path) ?? [];
  if (name === undefined) return [{ path, reason }];
  if (isDeepStrictEqual((sent as Parameters)[name], command[name])) return [];
  return [{ path, reason: 'the command is derived from the parameters; set settings.parameters' }];
}

function findIgnoredType({ type }: FormatFieldsDto, mediaTypes: readonly string[]): IgnoredInputResponse[] {
  if (type === undefined || type === null || type === mediaTypes[0]) return [];
  return [{ path: 'type', reason: `the media types determine its originals: ${mediaTypes.join(', ')}` }];
}

/** The path of a parameter in this input; none if it was stored before. */
function locate({ command, raw, reason }: ExplainedParameter, input: FormatFieldsDto): IgnoredInputResponse[] {
  if (raw === undefined) {
    const isSent = Object.hasOwn(input.settings?.parameters ?? {}, command);
    return isSent ? [{ path: `settings.parameters.${command}`, reason }] : [];
  }
  const place = (['settings', 'configuration', 'command'] as const).find((name) => Object.hasOwn(input[name]?.[raw] ?? {}, command));
  return place === undefined ? [] : [{ path: `${place}.${raw}.${command}`, reason }];
}
