import type { FieldProblem } from '../../../shared/errors/index.js';
import type { Format, MediaType } from '../../formats/index.js';

/** What is wrong with the formats of a configuration of this type, each under its path. */
export function findFormatProblems(
  formats: readonly { readonly formatId: number }[],
  type: MediaType,
  visible: ReadonlyMap<number, Format>,
): FieldProblem[] {
  const seen = new Set<number>();
  return formats.flatMap(({ formatId }, index) => {
    const problem = seen.has(formatId) ? repeated(formatId) : findProblem(formatId, type, visible.get(formatId));
    seen.add(formatId);
    return problem ? [{ path: `formats.${index}.formatId`, ...problem }] : [];
  });
}

type Problem = Omit<FieldProblem, 'path'>;

function findProblem(id: number, type: MediaType, format: Format | undefined): Problem | null {
  if (!format) return { code: 'not_found', message: `there is no format ${id}` };
  if (format.flag !== 0) return { code: 'format_deleted', message: `the format ${id} is deleted` };
  const mediaTypes = format.settings.mediaTypes ?? format.configuration?.mediaTypes ?? [];
  return mediaTypes.includes(type) ? null : { code: 'type_mismatch', message: `the format ${id} is not for ${type}` };
}

const repeated = (id: number): Problem => ({ code: 'repeated', message: `the format ${id} is in the list already` });
