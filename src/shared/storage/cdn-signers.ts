import { createHash, createHmac } from 'node:crypto';
import { getSignedUrl } from '@aws-sdk/cloudfront-signer';
import type { Config } from '../config/index.js';

/** An object at the CDN and the end of its URL's validity. */
export interface CdnResource {
  /** Absolute, percent-encoded, without a query. */
  readonly address: string;
  /** Null in a bucket without versioning. */
  readonly version: string | null;
  /** Unix seconds. */
  readonly expires: number;
}

/** Creates URLs with a token that the CDN verifies by itself. */
export abstract class CdnSigner {
  abstract sign(resource: CdnResource): string;
}

/** The signer of the configured CDN; null if the storage delivers media directly. */
export function createCdnSigner({ mediaCdnUrl, mediaCdnSigner, ...config }: Config): CdnSigner | null {
  if (!mediaCdnUrl || mediaCdnSigner === null) return null;
  if (mediaCdnSigner === 'nginx') return new NginxSigner(config.mediaCdnSecret);
  if (mediaCdnSigner === 'bunny') return new BunnySigner(config.mediaCdnSecret);
  return new CloudFrontSigner(config.mediaCdnKeyId, config.mediaCdnPrivateKey);
}

/**
 * For nginx's `secure_link_md5 "$secure_link_expires $arg_versionId $uri SECRET"`: `$uri` is decoded, arguments are not. Neither the expiry nor
 * the encoded version contains a blank, so the text can be split in one way only.
 */
export class NginxSigner extends CdnSigner {
  constructor(private readonly secret: string) {
    super();
  }

  sign({ address, version, expires }: CdnResource): string {
    const versionId = encodeURIComponent(version ?? '');
    const md5 = createHash('md5')
      .update(`${expires} ${versionId} ${decodedPath(address)} ${this.secret}`)
      .digest('base64url');
    return `${address}?${version === null ? '' : `versionId=${versionId}&`}md5=${md5}&expires=${expires}`;
  }
}

/**
 * Bunny's advanced token authentication: HMAC-SHA256 over the decoded path, the expiry and the query parameters, sorted by name
 * (https://docs.bunny.net/cdn/security/token-authentication/advanced). Bunny puts nothing between path and expiry, so a token of a key that ends
 * with digits would also be valid for the key without them. Keys of this service end with an extension, and no two of them differ by such digits.
 */
export class BunnySigner extends CdnSigner {
  constructor(private readonly secret: string) {
    super();
  }

  sign({ address, version, expires }: CdnResource): string {
    const query = version === null ? '' : `versionId=${version}`;
    const token = bunnyToken(this.secret, { path: decodedPath(address), expires, query });
    const versionId = version === null ? '' : `&versionId=${encodeURIComponent(version)}`;
    return `${address}?token=${token}${versionId}&expires=${expires}`;
  }
}

interface BunnyMessage {
  readonly path: string;
  readonly expires: number;
  /** The decoded parameters of the URL, sorted by name, without token and expiry. */
  readonly query: string;
}

export const bunnyToken = (secret: string, { path, expires, query }: BunnyMessage): string =>
  `HS256-${createHmac('sha256', secret).update(`${path}${expires}${query}`).digest('base64url')}`;

/** CloudFront's signed URLs with a canned policy: an RSA signature over URL, version and expiry. */
export class CloudFrontSigner extends CdnSigner {
  constructor(
    private readonly keyPairId: string,
    private readonly privateKey: string,
  ) {
    super();
  }

  sign({ address, version, expires }: CdnResource): string {
    const url = version === null ? address : `${address}?versionId=${encodeURIComponent(version)}`;
    const dateLessThan = new Date(expires * 1_000);
    return getSignedUrl({ url, keyPairId: this.keyPairId, privateKey: this.privateKey, dateLessThan });
  }
}

const decodedPath = (address: string): string => decodeURIComponent(new URL(address).pathname);
