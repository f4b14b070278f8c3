/** Finds the dropsite with a link, for filters. */
export abstract class DropsiteLinks {
  /** The id of the customer's dropsite with this link; null: no such dropsite exists. */
  abstract findId(customerId: number, link: string): Promise<number | null>;
}
