import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import path from 'node:path';
import proxyAddr from 'proxy-addr';
import { originOf, parseUrl } from '../validation/parse-url.js';

/** One environment variable: how its text is parsed. `parse` throws an Error whose message completes "NAME …". */
export interface Setting<T> {
  readonly description: string;
  /** The allowed values, if they are short enough for docs/configuration.md. */
  readonly values?: string;
  readonly fallback: T;
  readonly secret?: boolean;
  readonly auto?: boolean;
  parse(value: string): T;
}

const MIN_APP_SECRET_LENGTH = 32;

interface Options {
  readonly secret?: boolean;
  /** Throws like `parse`. The message must not contain a secret value. */
  check?(value: string): void;
}

export const text = (fallback: string, description: string, { secret, check }: Options = {}): Setting<string> => ({
  description,
  fallback,
  secret,
  parse(value) {
    check?.(value);
    return value;
  },
});

/** A comma-separated list; `check` is applied to every item. */
export const list = (fallback: readonly string[], description: string, { secret, check }: Options = {}): Setting<readonly string[]> => ({
  description,
  fallback,
  secret,
  parse(value) {
    const parts = split(value);
    for (const part of parts) check?.(part);
    return parts;
  },
});

/** Additional header prefixes, in lower case like the header names of Node; `own` is always the first prefix. */
export const headerPrefixes = (own: string, description: string): Setting<readonly string[]> => ({
  description,
  fallback: [own],
  parse(value) {
    const given = split(value.toLowerCase());
    if (!given.every((prefix) => /^[a-z0-9-]+$/.test(prefix))) throw new Error('must be a list such as x-vendor,x-other');
    return [...new Set([own, ...given])];
  },
});

export const flag = (fallback: boolean, description: string): Setting<boolean> => ({
  description,
  values: 'true, false',
  fallback,
  parse(value) {
    if (!['true', 'false'].includes(value)) throw new Error('must be true or false');
    return value === 'true';
  },
});

export const oneOf = <T extends string | null>(allowed: readonly T[], fallback: T, description: string): Setting<T> => ({
  description,
  values: allowed.join(', '),
  fallback,
  parse(value) {
    const found = allowed.find((candidate) => candidate === value);
    if (!found) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
});

export const integer = (range: { fallback: number; min: number; max: number }, description: string): Setting<number> => ({
  description,
  values: `${range.min} to ${range.max}`,
  fallback: range.fallback,
  parse(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < range.min || number > range.max) {
      throw new Error(`must be a whole number from ${range.min} to ${range.max}`);
    }
    return number;
  },
});

export const share = (fallback: number, description: string): Setting<number> => ({
  description,
  values: '0 to 1',
  fallback,
  parse(value) {
    const number = Number(value);
    if (!/^[01](\.\d+)?$/.test(value) || number > 1) throw new Error('must be a number from 0 to 1, such as 0.05');
    return number;
  },
});

const MAX_DELAY_SECONDS = 604_800;
const MAX_DELAYS = 50;

/** Delays in seconds, one after each failed attempt. */
export const schedule = (fallback: readonly number[], description: string): Setting<readonly number[]> => ({
  description,
  values: `numbers from 0 to ${MAX_DELAY_SECONDS}`,
  fallback,
  parse(value) {
    const delays = split(value).map(Number);
    const good = delays.every((delay) => Number.isInteger(delay) && delay >= 0 && delay <= MAX_DELAY_SECONDS);
    if (!good || delays.length === 0 || delays.length > MAX_DELAYS) {
      throw new Error(`must be 1 to ${MAX_DELAYS} whole numbers of seconds, such as 5,300,1800, none above ${MAX_DELAY_SECONDS}`);
    }
    return delays;
  },
});

/** An integer whose default depends on other settings; null if it is not set. */
export const optionalInteger = (range: { min: number; max: number }, description: string): Setting<number | null> => ({
  ...integer({ ...range, fallback: 0 }, description),
  fallback: null,
});

export const optionalUrl = (description: string): Setting<string> => ({
  description,
  fallback: '',
  parse(value) {
    if (!parseUrl(value)) throw new Error('must be an absolute URL');
    return value;
  },
});

/** Checks a value for use as an Origin; any other text would never match the header. Throws an Error that says what to write. */
export function checkOrigin(value: string): void {
  if (originOf(value) !== value || value.includes('*')) {
    throw new Error(
      `contains ${value}, which is not an origin: write scheme and host only, such as https://app.example.org or capacitor://localhost`,
    );
  }
}

export function checkAbsolutePath(value: string): void {
  if (!path.isAbsolute(value) || path.resolve(value) === '/')
    throw new Error(`contains ${value}, which is not an absolute path of a file or folder`);
}

export function checkAbsoluteUri(value: string): void {
  if (!parseUrl(value)) throw new Error(`contains ${value}, which is not an absolute URI`);
}

/** Checks that the secret, which encrypts keys, is hard to guess; the message does not contain it. */
export function checkAppSecret(value: string): void {
  if (value.length < MIN_APP_SECRET_LENGTH) throw new Error(`must have at least ${MIN_APP_SECRET_LENGTH} characters`);
}

/** Checks the URL of a server; the message does not contain the value, which includes a password. */
const checkServerUrl = (protocols: readonly string[], example: string) => (value: string) => {
  if (protocols.includes(parseUrl(value)?.protocol ?? '')) return;
  throw new Error(`must be a URL such as ${example}, special characters of the password percent-encoded`);
};

/** Splits a URL with several servers, `postgres://user:password@db-1:5432,db-2:5432/database` (as in libpq), into one URL per server. */
export function serverUrls(url: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${rest}`) : [url];
}

const checkOnePostgresUrl = checkServerUrl(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');
/** Values of libpq's target_session_attrs that match what the service does anyway. */
const WRITABLE = ['read-write', 'primary', undefined];

export function checkPostgresUrl(value: string): void {
  for (const url of serverUrls(value)) checkOnePostgresUrl(url);
  const wanted = parseUrl(serverUrls(value)[0] ?? '')?.searchParams.get('target_session_attrs') ?? undefined;
  if (WRITABLE.includes(wanted)) return;
  throw new Error('must have target_session_attrs=read-write or none: the service uses the one server that accepts writes');
}

export const checkSmtpUrl = checkServerUrl(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.org:465');

const checkPattern = (pattern: RegExp, message: string) => (value: string) => {
  if (!pattern.test(value)) throw new Error(message);
};

export const checkBucket = checkPattern(
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
);
export const checkRoleArn = checkPattern(
  /^arn:[\w-]+:iam::\d*:role\/[\w+=,.@/-]+$/,
  'must be an ARN such as arn:aws:iam::123456789012:role/media-uploads',
);
export const checkMailFrom = checkPattern(
  /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
  'must be an e-mail address, or a name with the address in angle brackets',
);

export function checkProxies(value: string): void {
  try {
    proxyAddr.compile(split(value));
  } catch {
    throw new Error('must be a list of addresses and networks such as loopback,10.0.0.0/8');
  }
}

/** A host as it occurs in a URL, without a port. */
export function checkHost(value: string): void {
  const url = parseUrl(`http://${value.includes(':') && !value.startsWith('[') ? `[${value}]` : value}/`);
  if (url?.port !== '' || url.pathname !== '/' || url.username !== '') {
    throw new Error(`contains ${value}, which is not a host: write a name or an address only, such as hooks.internal or 10.0.0.7`);
  }
}

const MIN_RSA_BITS = 2_048;

/** A private RSA key in PEM, with line breaks or with `\\n` instead of them. The messages do not contain it. */
export const rsaPrivateKey = (description: string): Setting<string> => ({
  description,
  fallback: '',
  secret: true,
  parse(value) {
    const pem = value.replaceAll('\\n', '\n').trim();
    const bits = rsaBitsOf(pem);
    if (bits === null) throw new Error('must be a private RSA key in PEM without a passphrase; its line ends may be written as \\n');
    if (bits < MIN_RSA_BITS) throw new Error(`must be a key of at least ${MIN_RSA_BITS} bits`);
    return pem;
  },
});

function rsaBitsOf(pem: string): number | null {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? null) : null;
  } catch {
    return null; // not a key
  }
}

/** Checks a base URL, to which paths are appended. */
export function checkBaseUrl(value: string): void {
  const url = parseUrl(value);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password) return;
  throw new Error('must begin with http:// or https:// and have no user name, query or fragment');
}

/** Checks a secret that is sent as a header value. */
export function checkHeaderValue(value: string): void {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error('must consist of visible ASCII characters, without spaces');
}

/** Splits a comma-separated text into trimmed parts. */
function split(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

const KEY_NAME = /^[\w-]{1,64}$/; // the kid is part of the header of every token

/** Checks private EC P-256 keys, each with its own name. Throws an Error that says what to write, without the text, which is a secret. */
export function checkSigningKeys(text: string): void {
  try {
    const { keys } = JSON.parse(text) as { keys: (JsonWebKey & { kid: string })[] };
    const names = new Set(keys.map(({ kid }) => kid));
    if (keys.length > 0 && names.size === keys.length && keys.every(isPrivateP256)) return;
  } catch {
    // reported below
  }
  throw new Error('must be a JSON Web Key Set {"keys":[…]} of private EC P-256 keys, each with a unique kid (letters, digits, - and _)');
}

function isPrivateP256(key: JsonWebKey & { kid?: unknown }): boolean {
  if (typeof key.kid !== 'string' || !KEY_NAME.test(key.kid) || key.crv !== 'P-256') return false;
  return createPrivateKey({ key, format: 'jwk' }).asymmetricKeyType === 'ec';
}
