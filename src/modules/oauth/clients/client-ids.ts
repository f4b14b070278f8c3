/**
 * The clients of the service itself, which only the service and the operator declare. The account pages sign users in through the authorization server
 * like a client, but never receive a code: no record has their id.
 */
const SERVICE_CLIENT_IDS = ['account', 'cli', 'console', 'demo', 'swagger'] as const;

export type ServiceClientId = (typeof SERVICE_CLIENT_IDS)[number];

export const ACCOUNT_CLIENT_ID = 'account' satisfies ServiceClientId;

/** RFC 6749 appendix A.1, without characters that a URL has to escape. Clients that were registered with others go on to work. */
export const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

/** The form of the client ids of dropsites, which the tokens of their senders carry. */
const DROPSITE_CLIENT_ID = /^dropsite-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the service relies on this client id, so that customers may not register it. `Console` is reserved too: people read it as `console`. */
export function isReservedClientId(clientId: string): boolean {
  const lower = clientId.toLowerCase();
  return isServiceClientId(lower) || DROPSITE_CLIENT_ID.test(lower);
}

/** Whether the operator may declare a client with this id: an own `console`, but neither `Console` nor the client of the account pages. */
export const isDeclarableClientId = (clientId: string): boolean =>
  !isReservedClientId(clientId) || (isServiceClientId(clientId) && clientId !== ACCOUNT_CLIENT_ID);

const isServiceClientId = (clientId: string): clientId is ServiceClientId => SERVICE_CLIENT_IDS.some((id) => id === clientId);
