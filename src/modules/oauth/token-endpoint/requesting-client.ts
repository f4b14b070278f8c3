import type { IncomingMessage } from 'node:http';
import { type FormBody, single } from '../provider/read-form.js';

/** The client that asks, by HTTP Basic (RFC 6749 section 2.3.1) or by the body; not yet authenticated. */
export function clientIdOf(request: IncomingMessage, body: FormBody): string | undefined {
  return basicCredentials(request)?.clientId ?? single(body, 'client_id') ?? single(body, 'clientId');
}

export function basicCredentials({ headers: { authorization } }: IncomingMessage): { clientId: string; secret: string } | null {
  if (!authorization || !/^basic /i.test(authorization)) return null;
  const [, encodedId, encodedSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(authorization.slice(6), 'base64').toString('utf8')) ?? [];
  if (!encodedId || encodedSecret === undefined) return null;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', '%20'));
    return { clientId: decode(encodedId), secret: decode(encodedSecret) };
  } catch {
    return null;
  }
}
