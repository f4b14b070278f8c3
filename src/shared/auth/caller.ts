import type { IncomingMessage } from 'node:http';
import { defineErrors } from '../errors.js';

/** Who a request acts for. Rights are read from the database for every request, never from the token. */
export interface Caller {
  readonly userId: number;
  readonly customerId: number;
  readonly adminLevel: number;
  readonly email: string;
  /** How the caller proved itself. */
  readonly method: 'bearer' | 'session' | 'framed_session' | 'signature';
  /** The access key that signed the request; null: none did. */
  readonly accessKey: string | null;
  /** The OAuth client that acts for the user; null for a session cookie. */
  readonly clientId: string | null;
  /** Granted scopes; a session cookie has `api`. */
  readonly scopes: ReadonlySet<string>;
  /** The authorized application behind a token; null for client credentials and session cookies. */
  readonly authorizationId: number | null;
  /** The access token itself, to be ended with what it was made for, and the generation of its authorization; null without one. */
  readonly token: { readonly id: string; readonly expiresAt: Date; readonly generation: number } | null;
  /** The member of support staff who acts as the user; null: the user itself. */
  readonly supportUserId: number | null;
  /** The subscription whose instruction the service itself carries out; absent: the call came from outside. */
  readonly subscriptionId?: number;
}

/** The user on whose behalf a caller acts, as the database has it now. */
type CallingUser = Pick<Caller, 'customerId' | 'adminLevel' | 'email'> & { readonly id: number };

/** A caller with all rights of its user and scope `api`; an authenticator names what differs. */
export const callerOf = (
  { id: userId, customerId, adminLevel, email }: CallingUser,
  method: Caller['method'],
  differing: Partial<Caller> = {},
): Caller => ({
  userId,
  customerId,
  adminLevel,
  email,
  method,
  accessKey: null,
  clientId: null,
  scopes: new Set(['api']),
  authorizationId: null,
  token: null,
  supportUserId: null,
  ...differing,
});

/** Whether a cookie says who calls, so that the page which sends the request is not trusted by that alone. */
export const isSession = ({ method }: Caller): boolean => method === 'session' || method === 'framed_session';

/** For whom requests of a caller are counted beside the address: what it has proven, never a header that anyone can write. Null: the address alone. */
export const countedAs = ({ accessKey, clientId }: Caller): string | null => (accessKey === null ? clientId : `accesskey ${accessKey}`);

/** Who made the last change of a record, as it is stored. */
export interface Editor {
  readonly lastEditorId: number;
  /** The member of support staff who made it in the name of the user; null: the user itself. */
  readonly lastEditorSupportUserId: number | null;
}

export const editorOf = ({ userId, supportUserId }: Pick<Caller, 'userId' | 'supportUserId'>): Editor => ({
  lastEditorId: userId,
  lastEditorSupportUserId: supportUserId,
});

const errors = defineErrors({
  admin_level_not_sufficient: {
    kind: 'forbidden',
    meaning: 'The adminLevel of the user is too low; `requiredAdminLevel` is the required one.',
  },
});

/** Refuses callers below an administrator's level; `what` is the end of the sentence "adminLevel N or above is needed to …". */
export function requireAdminLevel({ adminLevel }: Caller, required: number, what: string): void {
  if (adminLevel >= required) return;
  throw errors.admin_level_not_sufficient(`adminLevel ${required} or above is needed to ${what}; yours is ${adminLevel}.`, {
    requiredAdminLevel: required,
  });
}

/** How tokens begin that the service issues to itself, for instructions of subscriptions; no access token (a JWT) begins so. */
export const INSTRUCTION_TOKEN_PREFIX = 'sit_';

/** The token of the Authorization header; null when there is none of this scheme. */
export function bearerToken(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  if (!authorization || !/^bearer /i.test(authorization)) return null;
  return authorization.slice('bearer '.length).trim();
}
