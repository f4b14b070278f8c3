import { isSecret } from '../../../../shared/logging/index.js';
import { checkPayload, methodRule, normalizeRequest } from '../http-body.js';
import type { InstructionKind } from '../instruction.js';
import { anyJson, followedBy, jsonObject, listOf, oneOf, pickMembers, problem, ruleWith, shape, text } from '../json-rules.js';
import { type ReplaceSecret, replaceInMembers, replaceInQuery } from '../secret-values.js';
import { ApiInstructionDto, type ExpectationDto } from './api-instruction.dto.js';
import { ApiInstructionService } from './api-instruction.service.js';

const MAX_PATH = 2_000; // the length that all common servers and proxies accept
const MAX_EXPECTATIONS = 20;
const MAX_NAME = 64;

/** The name of a result. `user` is reserved for the last editor of the subscription. */
const NAME = /^(?!user$)[A-Za-z_]\w*$/;
/** Matches `.` and `..` as a segment, also percent-encoded: they would leave the API. */
const DOT_SEGMENT = /(^|[/\\])(\.|%2e){1,2}([/\\?#]|$)/i;
const PLAIN = /^[^\s\\#\p{Cc}]+$/u;

const plainPath = text({ max: MAX_PATH, pattern: PLAIN, described: 'a path without blanks, backslashes and #' });

const pathRule = ruleWith(plainPath.limits, (value, at) => {
  const problems = plainPath(value, at);
  if (problems.length > 0) return problems;
  const plain = String(value).replace(/^\//, '');
  if (!/^v5\/[^/]/.test(plain)) return problem(at, 'is_api_path', 'must be a path of this service that begins with v5/');
  return DOT_SEGMENT.test(plain) ? problem(at, 'is_api_path', 'must not contain . or .. as a segment') : [];
});

const members = shape({
  required: { type: oneOf(['api']), method: methodRule, path: pathRule },
  optional: {
    payload: jsonObject,
    expected: listOf(shape({ required: { path: text({ min: 1, max: 200 }), value: anyJson } }), { min: 0, max: MAX_EXPECTATIONS }),
    as: text({ min: 1, max: MAX_NAME, pattern: NAME, described: 'letters, digits and _, not beginning with a digit, and not user' }),
  },
});

/** A call to this service. */
export const apiInstruction: InstructionKind<ApiInstructionDto> = {
  type: 'api',
  dto: ApiInstructionDto,
  runner: ApiInstructionService,
  reasons: ['answer', 'connection', 'expectation', 'path', 'result', 'rights'],
  hasPayload: true,
  rule: () => followedBy(members, (value, at) => checkPayload(value as object, at)),
  normalize: (sent) => ({
    ...pickMembers(normalizeRequest(sent), ['type', 'method', 'path', 'payload', 'expected', 'as']),
    path: sent.path.replace(/^\//, ''),
    ...(sent.expected && { expected: sent.expected.map(({ path, value }) => ({ path, value })) }), // null is a value here
  }),
  targetOf: () => 'api',
  replaceSecrets: (instruction, replace) => ({
    ...instruction,
    path: replaceInQuery(instruction.path, 'path', replace),
    ...(instruction.payload && { payload: replaceInMembers(instruction.payload, 'payload', replace) as Record<string, unknown> }),
    ...(instruction.expected && {
      expected: instruction.expected.map((one, index) => replaceInExpectation(one, `expected.${index}.value`, replace)),
    }),
  }),
  destinationOf: ({ method, path }) => `${method} ${path}`,
  contentOf: ({ payload }) => payload,
};

function replaceInExpectation(expectation: ExpectationDto, at: string, replace: ReplaceSecret): ExpectationDto {
  const hidden = expectation.path.split('.').some(isSecret);
  return { ...expectation, value: hidden ? replace(expectation.value, at) : replaceInMembers(expectation.value, at, replace) };
}
