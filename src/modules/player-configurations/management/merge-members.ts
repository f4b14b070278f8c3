/** A settings object after a change: members that were sent replace those of before whole, null clears one, null for the object clears all. */
export function mergeMembers<Settings extends object>(before: Settings | null, sent: object | null | undefined): Settings | null {
  if (sent === undefined) return before;
  return sent && (withoutNulls({ ...before, ...sent }) as Settings);
}

/** Null in an object, at any depth, says the same as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
