import type { FieldProblem } from '../../shared/errors/index.js';
import { CLI_PARAMETERS } from './command/cli/cli-parameters.js';
import type { Format } from './format.entity.js';
import type { FormatChanges, NewFormat } from './format-fields.js';
import type { Converter, FormatSettings, MediaType } from './format-settings.js';

export function checkBlueprint({ blueprintId, converter }: NewFormat, blueprint: Format | null): FieldProblem[] {
  if (!blueprint) return [{ path: 'blueprintId', code: 'not_found', message: `there is no format ${blueprintId}` }];
  if (blueprint.customerId !== null)
    return [{ path: 'blueprintId', code: 'not_a_blueprint', message: 'must be a blueprint (isBlueprint)' }];
  if (blueprint.flag === 1) return [{ path: 'blueprintId', code: 'format_destroyed', message: 'the blueprint is destroyed' }];
  if (blueprint.converter !== converter)
    return [{ path: 'converter', code: 'not_of_blueprint', message: `the blueprint's converter is ${blueprint.converter}` }];
  if (converter !== 'original') return [];
  return [
    { path: 'converter', code: 'original_format', message: `uploads belong to "${blueprint.name}" itself, so nothing is made of it` },
  ];
}

export function checkMediaTypes(path: string, mediaTypes: readonly MediaType[] | undefined, blueprint: Format | null): FieldProblem[] {
  const known = blueprint?.settings.mediaTypes;
  if (!known || (mediaTypes ?? []).every((type) => known.includes(type))) return [];
  return [{ path: `${path}.mediaTypes`, code: 'not_of_blueprint', message: `the blueprint is for ${known.join(', ')} only` }];
}

/** What a format is made of by itself it has to be made of at all. */
export function checkAutoGenerate(
  path: string,
  autoGenerate: readonly MediaType[] | undefined,
  mediaTypes: readonly MediaType[] | undefined,
): FieldProblem[] {
  if (!mediaTypes || (autoGenerate ?? []).every((type) => mediaTypes.includes(type))) return [];
  return [{ path: `${path}.autoGenerate`, code: 'not_of_format', message: `the format is made of ${mediaTypes.join(', ')} only` }];
}

/** A format of the converter cli says which of the operator's tools makes it, and what comes of it; whether the tool is there may change. */
export function checkTool(converter: Converter, { parameters, filetype }: FormatSettings): FieldProblem[] {
  if (converter !== 'cli') return [];
  const tool = parameters?.tool;
  const isTool = typeof tool === 'string' && CLI_PARAMETERS.get('tool')?.(tool) === true;
  const problem = (path: string, message: string): FieldProblem => ({ path, code: 'missing', message });
  return [
    ...(isTool
      ? []
      : [problem('settings.parameters.tool', 'must be the name of a tool of the operator: small letters, digits and dashes')]),
    ...(filetype ? [] : [problem('settings.filetype', 'must be the file type that the tool makes')]),
  ];
}

export function checkUnchanged({ blueprintId, converter }: FormatChanges, format: Format): FieldProblem[] {
  const problem = (path: string, value: unknown) => ({ path, code: 'cannot_change', message: `cannot be changed; it is ${value}` });
  return [
    ...(blueprintId != null && blueprintId !== format.blueprintId ? [problem('blueprintId', format.blueprintId)] : []),
    ...(converter != null && converter !== format.converter ? [problem('converter', format.converter)] : []),
  ];
}
