import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

/** How a passkey signs; defaults: it verifies the person, and counts. */
export interface Signing {
  readonly origin: string;
  readonly verifiesPerson?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

/** An authenticator and its browser in software (WebAuthn level 3 section 6), for answers that Chromium would not give. */
export class SoftwarePasskey {
  readonly id = base64url(randomBytes(16));
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle = '';
  private counter = 0;

  /** What a browser sends for a new passkey, as JSON. */
  create({ challenge, rp, user }: CreationOptions, { origin, verifiesPerson = true }: Signing): string {
    this.userHandle = user.id;
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, Buffer.from(isoCBOR.encode(coseKey(this.keys.publicKey)))]);
    const authData = Buffer.concat([this.header(rp.id ?? '', HAS_CREDENTIAL, { verifiesPerson, counter: 0 }), credential]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    const response = {
      clientDataJSON: clientData('webauthn.create', challenge, origin),
      attestationObject: base64url(isoCBOR.encode(attestation as never)),
      transports: ['internal'],
    };
    return JSON.stringify(this.credential(response));
  }

  /** What a browser sends when the passkey has signed a challenge, as JSON. */
  sign({ challenge, rpId }: RequestOptions, { origin, verifiesPerson = true, counter, userHandle = this.userHandle }: Signing): string {
    this.counter = counter ?? this.counter + 1;
    const authData = this.header(rpId ?? '', 0, { verifiesPerson, counter: this.counter });
    const clientDataJSON = clientData('webauthn.get', challenge, origin);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const response = {
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: base64url(sign('sha256', signed, this.keys.privateKey)),
      ...(userHandle === null ? {} : { userHandle }),
    };
    return JSON.stringify(this.credential(response));
  }

  private header(rpId: string, flags: number, { verifiesPerson, counter }: { verifiesPerson: boolean; counter: number }): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags | USER_PRESENT | (verifiesPerson ? USER_VERIFIED : 0), 0);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  }

  private credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

const clientData = (type: string, challenge: string, origin: string): string =>
  base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));

/** A P-256 key for ES256 as COSE (RFC 9053 section 7.1.1). */
function coseKey(key: KeyObject) {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return new Map<number, number | Uint8Array<ArrayBuffer>>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ]);
}

/** The options that a page has for its button with a passkey. */
export function optionsOn(html: string): CreationOptions & RequestOptions {
  const [, options = '{}'] = / data-options="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(
    options.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}
