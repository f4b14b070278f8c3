/** The properties that are not undefined, so that spreading keeps what they would replace. */
export const defined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
