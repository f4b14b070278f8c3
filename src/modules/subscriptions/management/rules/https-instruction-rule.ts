import { parseUrl } from '../../../../shared/validation/index.js';
import { headerProblem } from '../../instructions/https/header-problem.js';
import { isObject } from '../../instructions/is-object.js';
import { among } from './among.js';
import { type Body, checkBody, methodRule } from './check-body.js';
import { anyJson } from './json.js';
import { mistyped, problem, type Rule, within } from './rule.js';
import { shape } from './shape.js';
import { text } from './text.js';

/** Why no request may go there, as the end of a sentence without the URL itself; null: it may, as far as one can say without asking DNS. */
export type UrlCheck = (url: string) => string | null;

const MAX_URL = 2_048;
const MAX_HEADERS = 50;
const MAX_HEADER_VALUE = 8_192; // what most servers take for all headers together

function urlRule(checkUrl: UrlCheck): Rule {
  const characters = text({ max: MAX_URL, pattern: /^[^\s\p{Cc}#]+$/u, described: 'a URL without blanks and #' });
  return (value, path) => {
    const problems = characters(value, path);
    if (problems.length > 0) return problems;
    // A placeholder in host or port makes it none: after the colon there only a number can stand.
    if (!parseUrl(String(value))) return problem(path, 'is_url', 'must be an absolute URL, with no placeholder in scheme, host and port');
    const reason = checkUrl(String(value));
    return reason === null ? [] : problem(path, 'is_reachable', reason);
  };
}

const headerText = text({ max: MAX_HEADER_VALUE });
const TWICE = 'stands there twice; names of headers have no case';

const headers: Rule = (value, path) => {
  if (!isObject(value)) return mistyped(path, 'object');
  const names = Object.keys(value);
  if (names.length > MAX_HEADERS) return problem(path, 'max_members', `must have ${MAX_HEADERS} headers or less`);
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const again = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return [...header(value[name], { name, at: within(path, name) }), ...(again ? problem(within(path, name), 'array_unique', TWICE) : [])];
  });
};

function header(value: unknown, { name, at }: { readonly name: string; readonly at: string }) {
  const problems = headerText(value, at);
  if (problems.length > 0) return problems;
  const reason = headerProblem(name, String(value));
  return reason === null ? [] : problem(at, 'is_header', reason);
}

/** A request to another service. */
export function httpsInstructionRule(checkUrl: UrlCheck): Rule {
  const members = shape({
    required: { type: among(['https']), url: urlRule(checkUrl) },
    optional: { method: methodRule, headers, payload: anyJson },
  });
  return (value, path) => [...members(value, path), ...checkBody(value as Body, path)];
}
