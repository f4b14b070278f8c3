import { ProblemError } from '@media-delivery/sdk';

/** A resource as it was read, with the ETag that a change has to name in `If-Match`. */
export interface Version<Value> {
  readonly value: Value;
  readonly etag: string;
}

export const versionOf = <Value>({ data, response }: { data: Value; response: Response }): Version<Value> => ({
  value: data,
  etag: response.headers.get('etag') ?? '',
});

/** The same version in another shape, such as the values of its form. */
export const mapVersion = <From, To>({ value, etag }: Version<From>, map: (value: From) => To): Version<To> => ({
  value: map(value),
  etag,
});

export type Fields = Record<string, unknown>;

export const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What another person has changed in the meantime: names of fields whose value was taken over, and of those where this person's input is kept. */
export interface Conflict {
  readonly taken: readonly string[];
  readonly kept: readonly { readonly field: string; readonly theirs: unknown }[];
}

/** Times that a form saves again by itself because others keep changing what it does not show. */
const MAX_ATTEMPTS = 3;

interface Saving<Values> {
  readonly values: Values;
  /** The version that the values change. */
  readonly read: Version<Values>;
  /** Saves the values, on condition that the version with this ETag is still the current one. */
  readonly save: (etag: string) => Promise<Version<Values>>;
  /** Reads the current version. */
  readonly reload?: (() => Promise<Version<Values>>) | undefined;
}

interface Outcome<Values> {
  /** False: another person has changed what the values show, so that this person has to look through it first. */
  readonly isSaved: boolean;
  /** What was saved, or the version of the other person. */
  readonly version: Version<Values>;
  /** The values that became this version: those that were sent, or those that the other person has changed. */
  readonly before: Values;
}

/** Saves values on condition of a version. If others have changed only what the values do not show, they are saved again. */
export async function saveVersion<Values extends Fields>({ values, read, save, reload }: Saving<Values>): Promise<Outcome<Values>> {
  let current = read;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { isSaved: true, version: await save(current.etag), before: values };
    } catch (error) {
      if (!reload || attempt === MAX_ATTEMPTS || !(error instanceof ProblemError && error.status === 412)) throw error;
      const newer = await reload();
      const { taken, kept } = takeOver(current.value, newer.value, values).conflict;
      if (taken.length > 0 || kept.length > 0) return { isSaved: false, version: newer, before: current.value };
      current = newer;
    }
  }
}

/** Takes over what was changed from `before` to `newer`, by another person or by saving, except where this person has typed something else. */
export function takeOver<Values extends Fields>(before: Values, newer: Values, typed: Values): { values: Values; conflict: Conflict } {
  const changed = Object.keys(newer).filter((field) => !isEqual(newer[field], before[field]));
  const taken = changed.filter((field) => isEqual(typed[field], before[field]));
  const kept = changed.filter((field) => !taken.includes(field) && !isEqual(typed[field], newer[field]));
  return {
    values: { ...typed, ...Object.fromEntries(taken.map((field) => [field, newer[field]])) },
    conflict: { taken, kept: kept.map((field) => ({ field, theirs: newer[field] })) },
  };
}
