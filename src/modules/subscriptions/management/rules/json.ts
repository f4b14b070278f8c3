import { isObject } from '../../instructions/is-object.js';
import { problem, type Rule, within } from './rule.js';

/** Any value of JSON that is there; null is one. Numbers are finite: JSON has no other, but `1e999` is read as one. */
export const anyJson: Rule = (value, path) => {
  if (value === undefined) return problem(path, 'is_defined', 'must be there');
  if (typeof value === 'number' && !Number.isFinite(value)) return problem(path, 'is_finite', 'must be a number that is not endless');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => anyJson(inner, within(path, name)));
};

/** An object of JSON with any members. */
export const jsonObject: Rule = (value, path) => (isObject(value) ? anyJson(value, path) : problem(path, 'is_object', 'must be an object'));
