/** A part of an input that was not taken. */
export class IgnoredInputResponse {
  /** Path of the member, in dot notation. @example "settings.parameters.quality" */
  path: string;
  /** @example "does not match ^([1-9][0-9]?|100)$" */
  reason: string;
}

/** A longer list helps no client and would make the answer larger than the request. */
const MAX_ENTRIES = 100;
const UNKNOWN = 'there is no such member';

/**
 * The members of what was sent that are not in what was taken of it, by class-validator or by hand. Null counts as absent. `known` are members
 * of the answer, which clients send back.
 */
export function findUnknownMembers(sent: unknown, taken: unknown, known: readonly string[] = []): IgnoredInputResponse[] {
  return compare(sent, taken, '').filter(({ path }) => !known.includes(path));
}

/** The answer with what was ignored; without the member where there is nothing. */
export const withIgnored = <Answer extends object>(
  answer: Answer,
  ignored: readonly IgnoredInputResponse[],
): Answer & { ignored?: IgnoredInputResponse[] } => (ignored.length > 0 ? { ...answer, ignored: ignored.slice(0, MAX_ENTRIES) } : answer);

function compare(sent: unknown, taken: unknown, path: string): IgnoredInputResponse[] {
  if (sent === taken || !isObject(sent) || !isObject(taken)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (value === null || value === undefined) return [];
    return Object.hasOwn(taken, name) ? compare(value, taken[name], at) : [{ path: at, reason: UNKNOWN }];
  });
}

/** A list is one too: its members are compared by their places. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
