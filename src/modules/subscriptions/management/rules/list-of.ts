import { mistyped, problem, type Rule, within } from './rule.js';

/** A list of so many elements that all follow one rule; `unique`: none of them, a text or number, stands there twice. */
export function listOf(
  rule: Rule,
  { min = 1, max, unique = false }: { readonly min?: number; readonly max: number; readonly unique?: boolean },
): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return mistyped(path, 'list');
    if (value.length < min) return problem(path, 'array_min_size', `must have ${min} elements or more`);
    if (value.length > max) return problem(path, 'array_max_size', `must have ${max} elements or less`);
    const problems = value.flatMap((element: unknown, index) => rule(element, within(path, index)));
    if (unique && new Set(value).size < value.length) problems.push(...problem(path, 'array_unique', 'must not name anything twice'));
    return problems;
  };
}
