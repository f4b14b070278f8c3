/** What the address of the customers says. Absent: all. */
export interface CustomersSearch {
  readonly search?: string;
}

/** Reads the query of an address. Values that consist of digits only are read from an address as numbers. */
export function readCustomersSearch({ search }: Record<string, unknown>): CustomersSearch {
  const words = typeof search === 'string' || typeof search === 'number' ? String(search).trim() : '';
  return words ? { search: words } : {};
}
