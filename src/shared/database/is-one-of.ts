/** The CHECK condition that a column holds one of the values declared in TypeScript. */
export const isOneOf = (column: string, values: readonly (string | number)[]): string =>
  `${column} IN (${values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ')})`;
