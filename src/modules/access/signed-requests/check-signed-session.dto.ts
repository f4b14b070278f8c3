export class SignedSessionClient {
  /** Value of the clientid header; null if none was sent. @example "demo" */
  id: string | null;
}

export class SignedSessionUser {
  /** @example 12 */
  id: number;
  /** @example "Ada" */
  firstname: string;
  /** @example "Lovelace" */
  lastname: string;
  /** @example "ada@example.org" */
  email: string;
  /** @example 3 */
  customerId: number;
  /** @example 0 */
  adminLevel: number;
}

export class SignedSessionCustomer {
  /** @example 3 */
  id: number;
}

/** The signer of the request. */
export class SignedSessionResponse {
  client: SignedSessionClient;
  user: SignedSessionUser;
  customer: SignedSessionCustomer;
}
