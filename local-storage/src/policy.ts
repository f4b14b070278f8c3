import { StorageError } from './http/messages.js';

/** One rule of a policy: patterns of actions on patterns of resources. */
interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

export type Policy = readonly Statement[];

const VERSIONS: readonly unknown[] = [undefined, '2008-10-17', '2012-10-17'];
const POLICY_ELEMENTS = ['Version', 'Id', 'Statement'];
/** Condition, Principal, NotAction and NotResource are not implemented; ignoring one would allow too much. */
const STATEMENT_ELEMENTS = ['Sid', 'Effect', 'Action', 'Resource'];

/** Parses a policy. @throws StorageError MalformedPolicyDocument if it is invalid or has elements that this storage does not evaluate */
export function parsePolicy(text: string): Policy {
  const document = parseObject(text);
  onlyElements(document, POLICY_ELEMENTS);
  if (!VERSIONS.includes(document.Version)) throw malformed('its Version is unknown');
  const statements = Array.isArray(document.Statement) ? document.Statement : [document.Statement];
  if (statements.length === 0) throw malformed('it has no Statement');
  return statements.map(parseStatement);
}

function parseStatement(value: unknown): Statement {
  if (!isObject(value)) throw malformed('a Statement is no object');
  onlyElements(value, STATEMENT_ELEMENTS);
  const { Effect, Action, Resource } = value;
  if (Effect !== 'Allow' && Effect !== 'Deny') throw malformed('an Effect is neither Allow nor Deny');
  const actions = texts('Action', Action);
  if (!actions.every((action) => /^(\*|[\w-]+:[\w*?]+)$/.test(action))) throw malformed('an Action has no service');
  const resources = texts('Resource', Resource);
  if (!resources.every((resource) => resource === '*' || /^arn:[^:]+:[^:]*:[^:]*:[^:]*:./s.test(resource)))
    throw malformed('a Resource is no ARN');
  if (resources.some((resource) => resource.includes('${'))) throw malformed('variables are not supported here');
  return { effect: Effect, actions, resources };
}

function texts(element: string, value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== '';
  if (list.length === 0 || !list.every(isText)) throw malformed(`${element} is missing or no text`);
  return list.filter(isText);
}

function onlyElements(value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw malformed(`the element ${unknown} is not supported here`);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // reported below
  }
  throw malformed('it is no JSON object');
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const malformed = (why: string): StorageError => new StorageError('MalformedPolicyDocument', `The policy is malformed: ${why}.`);

/** An action on a resource: `s3:PutObject` on `arn:aws:s3:::media/uploads/1.jpg`. */
export interface Attempt {
  readonly action: string;
  readonly resource: string;
}

/** Whether every policy allows the action: an explicit Deny wins, and anything that is not allowed is denied. */
export function allowedByAll(policies: readonly Policy[], attempt: Attempt): boolean {
  return policies.every((policy) => isAllowed(policy, attempt));
}

function isAllowed(policy: Policy, attempt: Attempt): boolean {
  const effects = policy.filter((statement) => concerns(statement, attempt)).map(({ effect }) => effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** Actions are case-insensitive, resources are case-sensitive. */
function concerns({ actions, resources }: Statement, { action, resource }: Attempt): boolean {
  return (
    actions.some((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => matchesPattern(pattern, resource))
  );
}

/**
 * Whether a text matches a pattern, in which `*` stands for any number of characters and `?` for exactly one. It backtracks only to the
 * last `*`, so the time is bounded for every pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [wanted, given] = [Array.from(pattern), Array.from(text)];
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === '*') {
      star = at++;
      resume = index;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[index])) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  return wanted.slice(at).every((character) => character === '*');
}
