import { among } from './among.js';
import { type Body, checkBody, methodRule } from './check-body.js';
import { anyJson, jsonObject } from './json.js';
import { listOf } from './list-of.js';
import { problem, type Rule } from './rule.js';
import { shape } from './shape.js';
import { text } from './text.js';

const MAX_PATH = 2_000; // what servers and proxies take in a URL at least
const MAX_EXPECTATIONS = 20;
const MAX_NAME = 64;

/** `user` stands for the person in whose name the instruction acts. */
const NAME = /^(?!user$)[A-Za-z_]\w*$/;
/** `.` and `..` as a segment, percent-encoded too: they would lead out of the API. */
const DOTS = /(^|[/\\])(\.|%2e){1,2}([/\\?#]|$)/i;
const PLAIN = /^[^\s\\#\p{Cc}]+$/u;

const path: Rule = (value, at) => {
  const problems = text({ max: MAX_PATH, pattern: PLAIN, described: 'a path without blanks, backslashes and #' })(value, at);
  if (problems.length > 0) return problems;
  const plain = String(value).replace(/^\//, '');
  if (!/^v5\/[^/]/.test(plain)) return problem(at, 'is_api_path', 'must be a path of this service that begins with v5/');
  return DOTS.test(plain) ? problem(at, 'is_api_path', 'must not contain . or .. as a segment') : [];
};

const members = shape({
  required: { type: among(['api']), method: methodRule, path },
  optional: {
    payload: jsonObject,
    expected: listOf(shape({ required: { path: text({ min: 1, max: 200 }), value: anyJson } }), { min: 0, max: MAX_EXPECTATIONS }),
    as: text({ min: 1, max: MAX_NAME, pattern: NAME, described: 'letters, digits and _, with no digit in front, and not user' }),
  },
});

/** A call to this service. */
export const apiInstructionRule: Rule = (value, at) => [...members(value, at), ...checkBody(value as Body, at)];
