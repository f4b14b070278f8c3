import { createPrivateKey, type JsonWebKey } from 'node:crypto';

const SANE_NAME = /^[\w-]{1,64}$/; // a kid stands in the header of every token

/** Private EC P-256 keys, each with a name of its own. Throws an Error that says what to write, without the text: it is a secret. */
export function checkSigningKeys(text: string): void {
  try {
    const { keys } = JSON.parse(text) as { keys: (JsonWebKey & { kid: string })[] };
    const names = new Set(keys.map(({ kid }) => kid));
    if (keys.length > 0 && names.size === keys.length && keys.every(isPrivateP256)) return;
  } catch {
    // told below
  }
  throw new Error('must be a JSON Web Key Set {"keys":[…]} of private EC P-256 keys, each with a unique kid (letters, digits, - and _)');
}

function isPrivateP256(key: JsonWebKey & { kid?: unknown }): boolean {
  if (typeof key.kid !== 'string' || !SANE_NAME.test(key.kid) || key.crv !== 'P-256') return false;
  return createPrivateKey({ key, format: 'jwk' }).asymmetricKeyType === 'ec';
}
