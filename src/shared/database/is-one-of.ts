/** The condition of a CHECK by which a column holds one of the values that TypeScript declares for it. */
export const isOneOf = (column: string, values: readonly (string | number)[]): string =>
  `${column} IN (${values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ')})`;
