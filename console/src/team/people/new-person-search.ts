/** What the address of a new person says: the customer, which operators choose. */
export interface NewPersonSearch {
  readonly customer?: number;
}

export const readNewPersonSearch = ({ customer }: Record<string, unknown>): NewPersonSearch =>
  Number.isInteger(customer) ? { customer: customer as number } : {};
