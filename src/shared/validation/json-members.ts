/** Whether a value is a JSON object, not a list or null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An input as it is stored: read-only, and without null at any depth, because null clears a member. */
export type Stored<Input> = Input extends readonly (infer Element)[]
  ? readonly Stored<Element>[]
  : Input extends object
    ? { readonly [Name in keyof Input]: Stored<Exclude<Input[Name], null>> }
    : Input;

/** The properties that are not undefined, so that spreading them does not overwrite values with undefined. */
export const defined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** The members that are not null, for objects in which null means the same as absent. */
export const withoutNulls = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<T>;

/** A JSON value without null and undefined members at any depth; list elements are kept. */
export function withoutNullsDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullsDeep);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNullsDeep(member)]));
}
