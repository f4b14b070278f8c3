import type { FieldProblem } from '../../shared/errors/index.js';
import type { Format } from './format.entity.js';
import type { FormatChanges, NewFormat } from './format-fields.js';
import type { MediaType } from './format-settings.js';

export function checkBlueprint({ blueprintId, converter }: NewFormat, blueprint: Format | null): FieldProblem[] {
  if (!blueprint) return [{ path: 'blueprintId', code: 'not_found', message: `there is no format ${blueprintId}` }];
  if (blueprint.customerId !== null)
    return [{ path: 'blueprintId', code: 'not_a_blueprint', message: 'must be a blueprint (isBlueprint)' }];
  if (blueprint.flag === 1) return [{ path: 'blueprintId', code: 'format_destroyed', message: 'the blueprint is destroyed' }];
  if (blueprint.converter === converter) return [];
  return [{ path: 'converter', code: 'not_of_blueprint', message: `the blueprint's converter is ${blueprint.converter}` }];
}

export function checkMediaTypes(path: string, mediaTypes: readonly MediaType[] | undefined, blueprint: Format | null): FieldProblem[] {
  const known = blueprint?.settings.mediaTypes;
  if (!known || (mediaTypes ?? []).every((type) => known.includes(type))) return [];
  return [{ path: `${path}.mediaTypes`, code: 'not_of_blueprint', message: `the blueprint is for ${known.join(', ')} only` }];
}

export function checkUnchanged({ blueprintId, converter }: FormatChanges, format: Format): FieldProblem[] {
  const problem = (path: string, value: unknown) => ({ path, code: 'cannot_change', message: `cannot be changed; it is ${value}` });
  return [
    ...(blueprintId != null && blueprintId !== format.blueprintId ? [problem('blueprintId', format.blueprintId)] : []),
    ...(converter != null && converter !== format.converter ? [problem('converter', format.converter)] : []),
  ];
}
