import type { FieldProblem } from '../../../shared/errors/index.js';
import type { Format, MediaType } from '../../formats/index.js';

type FormatReference = { readonly formatId: number };

/** The configuration to which the formats shall belong. */
export interface FormatContext {
  readonly type: MediaType;
  /** The formats that it delivers already. */
  readonly delivered: readonly FormatReference[];
  /** The formats that its customer sees, by their ids. */
  readonly visible: ReadonlyMap<number, Format>;
}

/**
 * What is wrong with the formats of a configuration, each under its path. A format that it delivers already may be sent back, also when it
 * has been flagged as deleted or changed its media types since (contract section 12.1).
 */
export function findFormatProblems(formats: readonly FormatReference[], { type, delivered, visible }: FormatContext): FieldProblem[] {
  const known = new Set(delivered.map(({ formatId }) => formatId));
  const seen = new Set<number>();
  return formats.flatMap(({ formatId }, index) => {
    const format = visible.get(formatId);
    const problem = seen.has(formatId) ? repeated(formatId) : format && known.has(formatId) ? null : findProblem(formatId, type, format);
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
