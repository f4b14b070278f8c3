import type { IncomingMessage } from 'node:http';
import { defineErrors } from '../errors.js';

/** The only authentication context class (`acr`): more than one factor, or a passkey that verified the person. */
export const MFA = 'mfa';

/** How and when a person signed in. */
export interface Authentication {
  /** `mfa` for more than one factor. */
  readonly acr?: string;
  /** Authentication methods (RFC 8176); absent: not known, as after a sign-in at an identity provider. */
  readonly amr?: readonly string[];
  /** When the person signed in or confirmed, in Unix seconds; absent: no person did. */
  readonly authTime?: number;
}

/** The identity on whose behalf a request acts. Rights are read from the database for every request, never from the token. */
export interface Caller {
  readonly userId: number;
  readonly customerId: number;
  readonly adminLevel: number;
  readonly email: string;
  /** How the caller authenticated. */
  readonly method: 'bearer' | 'session' | 'framed_session' | 'signature';
  /** The access key that signed the request; otherwise null. */
  readonly accessKey: string | null;
  /** The OAuth client that acts for the user; null for a session cookie. */
  readonly clientId: string | null;
  /** Granted scopes; a session cookie has `api`. */
  readonly scopes: ReadonlySet<string>;
  /** The authorization that a token belongs to; null for client credentials and session cookies. */
  readonly authorizationId: number | null;
  /** The access token, so that it can be ended early, and the generation of its authorization; null without a token. */
  readonly token: { readonly id: string; readonly expiresAt: Date; readonly generation: number } | null;
  /** How the person of a session or token signed in; absent: no person did. */
  readonly authentication?: Authentication;
  /** The member of support staff who acts on behalf of the user; null: the user itself. */
  readonly supportUserId: number | null;
  /** The subscription whose instruction the service is carrying out; absent for external requests. */
  readonly subscriptionId?: number;
}

/** The user on whose behalf a caller acts, with current values from the database. */
type CallingUser = Pick<Caller, 'customerId' | 'adminLevel' | 'email'> & { readonly id: number };

/** Creates a caller with all rights of its user and the scope `api`; an authenticator passes what differs. */
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

/** Whether the caller authenticated by a cookie, which a page on another site could send too. */
export const isSession = ({ method }: Caller): boolean => method === 'session' || method === 'framed_session';

/** The identity that rate limits count besides the address: only a proven one, never a header that anyone can set. Null: the address alone. */
export const countedAs = ({ accessKey, clientId }: Caller): string | null => (accessKey === null ? clientId : `accesskey ${accessKey}`);

/** The user who made the last change of a record, as it is stored. */
export interface Editor {
  readonly lastEditorId: number;
  /** The member of support staff who made the change on behalf of the user; null: the user itself. */
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

/** The prefix of the tokens that the service issues to itself for instructions of subscriptions; access tokens (JWTs) never begin with it. */
export const INSTRUCTION_TOKEN_PREFIX = 'sit_';

/** The bearer token of the Authorization header; null if there is none. */
export function bearerToken(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  if (!authorization || !/^bearer /i.test(authorization)) return null;
  return authorization.slice('bearer '.length).trim();
}
