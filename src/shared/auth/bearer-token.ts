import type { IncomingMessage } from 'node:http';

/** How tokens begin that the service issues to itself, for instructions of subscriptions; no access token (a JWT) begins so. */
export const INSTRUCTION_TOKEN_PREFIX = 'sit_';

/** The token of the Authorization header; null when there is none of this scheme. */
export function bearerToken(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  if (!authorization || !/^bearer /i.test(authorization)) return null;
  return authorization.slice('bearer '.length).trim();
}
