const MAX_DEPTH = 100; // honest input has a few levels; validation, logging and JSON.stringify go down by recursion

/** Why a parsed body cannot be worked with, as the end of a sentence: PostgreSQL could not store it, or it is nested too deep. Else null. */
export function whyUnreadable(input: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value: input, depth: 1 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item;
    const texts = textsOf(value);
    if (texts.some((text) => text.includes('\0'))) return 'contains a NUL character';
    if (texts.some((text) => /\p{Surrogate}/u.test(text))) return 'contains half of a surrogate pair';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    for (const inner of Object.values(value)) {
      // Numbers and the like cannot be wrong; a large list of them must cost nothing.
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return null;
}

/** A text itself, or the names of an object's members. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
