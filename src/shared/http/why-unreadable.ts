export const MAX_DEPTH = 100; // real input has a few levels; validation, logging and JSON.stringify are recursive

/** Assigning a member of this name would change an object's prototype; all other names are data. */
export const UNSAFE_NAME = '__proto__';

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Why a parsed body cannot be processed, as the end of a sentence: PostgreSQL cannot store it, or it is nested too deeply. Otherwise null. */
export function whyUnreadable(input: unknown): string | null {
  const search = searchUnreadable(input);
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
  }
}

/** Like whyUnreadable, but yields after each value (`inTurns`). */
export function* searchUnreadable(input: unknown): Generator<void, string | null> {
  const open: { value: unknown; depth: number }[] = [{ value: input, depth: 1 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item;
    const text = textsOf(value).find((one) => UNSTORABLE.test(one));
    if (text !== undefined) return text.includes('\0') ? 'contains a NUL character' : 'contains half of a surrogate pair';
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, UNSAFE_NAME)) return `has a member named ${UNSAFE_NAME}, which cannot be stored; give it another name`;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    for (const inner of Object.values(value)) {
      // Numbers, booleans and null are always valid; a large list of them must cost nothing.
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) open.push({ value: inner, depth: depth + 1 });
    }
    yield;
  }
  return null;
}

/** The text itself, or the member names of an object. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
