import type { IncomingMessage } from 'node:http';
import { StorageError } from './storage-error.js';

/** A request as it came, taken apart but not yet believed. */
export interface Incoming {
  readonly method: string;
  /** Decoded, beginning with a slash. */
  readonly path: string;
  /** Decoded, in the order of the request. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Lower-case name to value; several of one name joined by a comma, as SigV4 wants them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly message: IncomingMessage;
}

/** @throws StorageError for an address that cannot be decoded */
export function readIncoming(message: IncomingMessage): Incoming {
  const [rawPath = '/', rawQuery = ''] = splitOnce(message.url ?? '/', '?');
  return {
    method: message.method ?? 'GET',
    path: decode(rawPath.startsWith('/') ? rawPath : new URL(rawPath).pathname),
    query: rawQuery.split('&').filter(Boolean).map(readParameter),
    headers: joinHeaders(message.rawHeaders),
    message,
  };
}

/** The value of a query parameter; undefined when it is not there. */
export function parameter(incoming: Pick<Incoming, 'query'>, name: string): string | undefined {
  return incoming.query.find(([candidate]) => candidate === name)?.[1];
}

function readParameter(text: string): [string, string] {
  const [name, value = ''] = splitOnce(text, '=');
  return [decode(name), decode(value)];
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StorageError('InvalidURI');
  }
}

function joinHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = decodeHeader(raw[index + 1] ?? '');
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

/** Node reads header bytes as Latin-1; clients that send metadata beyond ASCII sign and mean UTF-8. */
function decodeHeader(value: string): string {
  return /[\u0080-\u00ff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}
