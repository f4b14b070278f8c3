/** A part of an input that was ignored. */
export class IgnoredInputResponse {
  /** Path of the member, in dot notation. @example "settings.parameters.quality" */
  path: string;
  /** @example "does not match ^([1-9][0-9]?|100)$" */
  reason: string;
}

/** A longer list does not help a client and would make the response larger than the request. */
const MAX_ENTRIES = 100;
const UNKNOWN = 'there is no such member';

/**
 * Finds the members of `sent` that are not in `taken`, which class-validator or a service accepted. Null counts as absent. `known` are members
 * of the response, which clients may send back.
 */
export function findUnknownMembers(sent: unknown, taken: unknown, known: readonly string[] = []): IgnoredInputResponse[] {
  return compare(sent, taken, '').filter(({ path }) => !known.includes(path));
}

/** The response with the ignored input; without the member if nothing was ignored. */
export const withIgnored = <Answer extends object>(
  answer: Answer,
  ignored: readonly IgnoredInputResponse[],
): Answer & { ignored?: IgnoredInputResponse[] } => (ignored.length > 0 ? { ...answer, ignored: ignored.slice(0, MAX_ENTRIES) } : answer);

function compare(sent: unknown, taken: unknown, path: string): IgnoredInputResponse[] {
  if (sent === taken || !isObjectOrArray(sent) || !isObjectOrArray(taken)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (value === null || value === undefined) return [];
    return Object.hasOwn(taken, name) ? compare(value, taken[name], at) : [{ path: at, reason: UNKNOWN }];
  });
}

/** Also accepts lists, whose elements are compared by index. */
const isObjectOrArray = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
