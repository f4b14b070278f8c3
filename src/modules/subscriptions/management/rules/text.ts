import { mistyped, problem, type Rule } from './rule.js';

export interface TextOptions {
  readonly min?: number;
  /** Characters, as UTF-16 counts them. */
  readonly max: number;
  readonly pattern?: RegExp;
  /** How a text that fits the pattern is described, as the end of a sentence. */
  readonly described?: string;
}

/** A text of so many characters that fits a pattern. */
export function text({ min = 0, max, pattern, described = 'a text' }: TextOptions): Rule {
  return (value, path) => {
    if (typeof value !== 'string') return mistyped(path, 'text');
    if (value.length < min) return problem(path, 'min_length', `must have ${min} characters or more`);
    if (value.length > max) return problem(path, 'max_length', `must have ${max} characters or less`);
    return pattern === undefined || pattern.test(value) ? [] : problem(path, 'matches', `must be ${described}`);
  };
}
