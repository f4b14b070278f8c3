import type { FieldProblem } from '../../shared/errors/index.js';
import type { ContainerFlag, ContainerType } from './media-container.entity.js';

/** What can be laid over something else. */
const WATERMARK_SOURCES: ReadonlySet<ContainerType> = new Set(['image', 'audio']);

export interface ContainerKind {
  readonly type: ContainerType;
  readonly flag: ContainerFlag;
}

/**
 * Whether a container of `before` may become `after`, when its original is of the type `original`. A watermark asset is an image or audio
 * container of type watermark with flag 33 (contract section 7); in the trash it keeps its type.
 */
export function checkContainerKind(before: ContainerKind, after: ContainerKind, original: ContainerType | null): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (after.type !== before.type) {
    if (after.type === 'watermark') {
      if (!WATERMARK_SOURCES.has(before.type)) problems.push(problem('type', 'only an image or audio container can become a watermark'));
    } else if (after.type !== original) {
      problems.push(problem('type', `the type of a container is that of its original, ${original ?? before.type}, or watermark`));
    }
  }
  if (after.flag === 33 && after.type !== 'watermark') problems.push(problem('flag', 'flag 33 goes with type watermark only'));
  if (after.flag === 0 && after.type === 'watermark') problems.push(problem('flag', 'a container of type watermark has flag 33, or 1'));
  return problems;
}

const problem = (path: string, message: string): FieldProblem => ({ path, code: 'not_allowed', message });
