import type { FieldProblem } from '../../../shared/errors/index.js';
import type { Format } from '../../formats/index.js';

/** A format that somebody asks for. */
export interface RequestedFormat {
  readonly id: number;
  /** As the customer sees it; absent: it sees none of this id. */
  readonly format: Format | undefined;
  /** Why no worker can make it; absent: one can, or nobody knows. */
  readonly unavailable: string | undefined;
}

/** What keeps a format from being made of a container of this type; null: nothing. */
export function findRequestProblem({ id, format, unavailable }: RequestedFormat, type: string): Omit<FieldProblem, 'path'> | null {
  if (!format) return { code: 'not_found', message: `there is no format ${id}` };
  if (format.flag === 1) return { code: 'format_deleted', message: `the format ${id} is deleted` };
  if (format.configuration?.transcodingCreateNotAllowed)
    return {
      code: 'transcoding_not_allowed',
      message: `the format ${id} may not be asked for (configuration.transcodingCreateNotAllowed)`,
    };
  if (format.converter === 'original') return { code: 'original_format', message: `the format ${id} is the original itself` };
  const mediaTypes: readonly string[] = format.settings.mediaTypes ?? [];
  if (!mediaTypes.includes(type))
    return { code: 'media_type', message: `the format ${id} is made of ${mediaTypes.join(', ')}, not of ${type}` };
  if (unavailable === undefined) return null;
  return { code: 'format_unavailable', message: unavailable.replace(/\.$/, '') }; // stands among others in a sentence
}
