import type { FieldProblem } from '../../shared/errors.js';
import { defined, toEnd, toMoment } from '../../shared/validation/index.js';
import type { ChangeableContainer, ContainerType, MediaContainer } from '../media/index.js';
import type { MediaContainerChangesDto } from './media-container-input.dto.js';

/** Types of media that can be laid over other media. */
const WATERMARK_SOURCES: ReadonlySet<ContainerType> = new Set(['image', 'audio']);

type ContainerKind = Pick<ChangeableContainer, 'type' | 'flag'>;

/** Changes of a container: undefined leaves a field as it is, null clears it. */
export type ContainerChanges = Omit<MediaContainerChangesDto, 'start' | 'end'> & {
  readonly start?: Date | null;
  readonly end?: Date | null;
};

/** Returns the columns that a change writes. */
export function columnsOf({ description, tags, metadata, ...rest }: ContainerChanges): Partial<MediaContainer> {
  return defined({
    ...rest,
    description: description === null ? '' : description,
    tags: tags === null ? [] : tags,
    metadata: metadata === null ? [] : metadata,
  });
}

/** Returns why a container, whose original has the type `original`, cannot become `after`. */
export const checkContainer = (before: ChangeableContainer, after: ChangeableContainer, original: ContainerType | null): FieldProblem[] => [
  ...checkContainerKind(before, after, original),
  ...checkSpan(after),
];

function checkSpan({ start, end, license }: ChangeableContainer): FieldProblem[] {
  const problem = (path: string): FieldProblem => ({ path, code: 'not_after_start', message: 'must be after start' });
  return [...(start && end && end <= start ? [problem('end')] : []), ...(isEmpty(license) ? [problem('license.end')] : [])];
}

function isEmpty(license: ChangeableContainer['license']): boolean {
  const [start, end] = [toMoment(license?.start), toEnd(license?.end)];
  return Boolean(start && end && end <= start);
}

/**
 * Returns why a container of the kind `before`, whose original has the type `original`, cannot become `after`. A watermark asset is an image or
 * audio container of type watermark with flag 33 (contract section 7); in the trash it keeps its type.
 */
export function checkContainerKind(before: ContainerKind, after: ContainerKind, original: ContainerType | null): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (after.type !== before.type) {
    if (after.type === 'watermark') {
      if (!WATERMARK_SOURCES.has(before.type)) problems.push(notAllowed('type', 'only an image or audio container can become a watermark'));
    } else if (after.type !== original) {
      problems.push(notAllowed('type', `the type of a container is that of its original, ${original ?? before.type}, or watermark`));
    }
  }
  if (after.flag === 33 && after.type !== 'watermark') problems.push(notAllowed('flag', 'flag 33 goes with type watermark only'));
  if (after.flag === 0 && after.type === 'watermark') problems.push(notAllowed('flag', 'a container of type watermark has flag 33, or 1'));
  return problems;
}

const notAllowed = (path: string, message: string): FieldProblem => ({ path, code: 'not_allowed', message });
