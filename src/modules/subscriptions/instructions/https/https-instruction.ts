import { isObject, parseUrl } from '../../../../shared/validation/index.js';
import { checkPayload, methodRule, normalizeRequest } from '../http-body.js';
import type { InstructionKind, UrlCheck } from '../instruction.js';
import { anyJson, followedBy, mistyped, oneOf, pickMembers, problem, type Rule, ruleWith, shape, text, within } from '../json-rules.js';
import { type ReplaceSecret, replaceInMembers, replaceInQuery } from '../secret-values.js';
import { HttpsInstructionDto } from './https-instruction.dto.js';
import { findWebhookHeaderProblem, HttpsInstructionService } from './https-instruction.service.js';

const MAX_URL = 2_048;
const MAX_HEADERS = 50;
const MAX_HEADER_VALUE = 8_192; // the limit of most servers for all headers together

/** A signed request to another service. */
export const httpsInstruction: InstructionKind<HttpsInstructionDto> = {
  type: 'https',
  dto: HttpsInstructionDto,
  runner: HttpsInstructionService,
  reasons: [
    ...['blocked address', 'dns', 'failed', 'http-4xx', 'http-5xx', 'invalid answer', 'invalid header', 'invalid url', 'plain http'],
    ...['redirect', 'refused', 'reset', 'timeout', 'tls', 'unreachable'],
  ],
  hasPayload: true,
  rule: (checkUrl) => {
    const members = shape({
      required: { type: oneOf(['https']), url: urlRule(checkUrl) },
      optional: { method: methodRule, headers: headersRule, payload: anyJson },
    });
    return followedBy(members, (value, path) => checkPayload(value as object, path));
  },
  normalize: (sent) => pickMembers(normalizeRequest(sent), ['type', 'url', 'method', 'headers', 'payload']),
  targetOf: ({ url }) => parseUrl(url)?.host ?? 'https',
  replaceSecrets: (instruction, replace) => ({
    ...instruction,
    url: replaceInQuery(instruction.url, 'url', replace),
    ...(instruction.headers && { headers: replaceHeaders(instruction.headers, replace) }),
    ...('payload' in instruction && { payload: replaceInMembers(instruction.payload, 'payload', replace) }),
  }),
  destinationOf: ({ method, url }) => `${method ?? 'POST'} ${parseUrl(url)?.href}`,
  contentOf: ({ payload }) => payload,
};

/** Every header counts as a secret, regardless of its name. */
const replaceHeaders = (headers: Readonly<Record<string, string>>, replace: ReplaceSecret): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(replace(value, `headers.${name}`))]));

function urlRule(checkUrl: UrlCheck): Rule {
  const characters = text({ max: MAX_URL, pattern: /^[^\s\p{Cc}#]+$/u, described: 'a URL without blanks and #' });
  return ruleWith(characters.limits, (value, path) => {
    const problems = characters(value, path);
    if (problems.length > 0) return problems;
    // A URL with a placeholder in its host or port is not valid: only a number may follow the colon.
    if (!parseUrl(String(value))) return problem(path, 'is_url', 'must be an absolute URL, without placeholders in scheme, host and port');
    const reason = checkUrl(String(value));
    return reason === null ? [] : problem(path, 'is_reachable', reason);
  });
}

const headerText = text({ max: MAX_HEADER_VALUE });

const headersRule = ruleWith({ maxProperties: MAX_HEADERS, additionalProperties: headerText.limits ?? {} }, (value, path) => {
  if (!isObject(value)) return mistyped(path, 'object');
  const names = Object.keys(value);
  if (names.length > MAX_HEADERS) return problem(path, 'max_members', `must have ${MAX_HEADERS} headers or fewer`);
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const at = within(path, name);
    const repeated = isRepeated ? problem(at, 'array_unique', 'appears twice; header names are case-insensitive') : [];
    return [...checkHeader(value[name], { name, at }), ...repeated];
  });
});

function checkHeader(value: unknown, { name, at }: { readonly name: string; readonly at: string }) {
  const problems = headerText(value, at);
  if (problems.length > 0) return problems;
  const reason = findWebhookHeaderProblem(name, String(value));
  return reason === null ? [] : problem(at, 'is_header', reason);
}
