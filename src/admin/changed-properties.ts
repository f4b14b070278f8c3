import { isDeepStrictEqual } from 'node:util';

/** The properties that differ between two states of a row, in snake_case and in plain words (`passwordHash` is `password`). */
export function changedProperties(before: object, after: object): string[] {
  const values = new Map(Object.entries(after));
  return Object.entries(before)
    .filter(([name, value]) => name !== 'updatedAt' && !isDeepStrictEqual(value, values.get(name)))
    .map(([name]) => plainName(name));
}

const plainName = (property: string): string =>
  property.replace(/(Hash|Id)$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
