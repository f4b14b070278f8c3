import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import type { DomainError } from '../../../shared/errors/index.js';
import { inTurns } from '../../../shared/fairness/index.js';
import { prefixedHeader } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { equalInConstantTime } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { AccessKeys, type OpenedAccessKey, type Principal, Principals } from '../../accounts/index.js';
import { signaturesOf } from './signature-message.js';
import { signatureErrors } from './signed-requests.errors.js';
import { UsedSignatures } from './used-signatures.js';

/** The request that was signed: this one, or the one that another service received and asks about. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** Who signed, and for whom. */
export interface Signer {
  readonly user: Principal;
  readonly accessKey: string;
  readonly clientId: string | null;
}

interface SignatureHeaders {
  readonly accessKey: string;
  readonly rts: string;
  readonly hash: string;
  readonly identifier: string | undefined;
}

const LEAST_VERSION = 5;

/** Signed requests of servers: an access key, and an HMAC of what is asked. */
@Injectable()
export class SignedRequests {
  constructor(
    private readonly config: Config,
    private readonly accessKeys: AccessKeys,
    private readonly principals: Principals,
    private readonly used: UsedSignatures,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Whether the request carries any header of a signature. */
  isSigned(request: IncomingMessage): boolean {
    return ['accesskey', 'hash', 'rts'].some((name) => this.header(request, name) !== undefined);
  }

  /**
   * What the headers alone show: a key that exists, and a time within the window. The body decides whether it was signed.
   * @throws DomainError 401 `signature_…`
   */
  async announce(request: IncomingMessage): Promise<true> {
    const { accessKey } = this.read(request);
    if (!(await this.accessKeys.find(accessKey))) throw mismatch();
    return true;
  }

  /** @throws DomainError 401 `signature_…`, 403 `identifier_not_allowed` */
  async verify(request: IncomingMessage, signed: SignedRequest): Promise<Signer> {
    const headers = this.read(request);
    const key = await this.accessKeys.find(headers.accessKey);
    const owner = key && (await this.principals.find(key.userId));
    if (key?.accessSecret === null) throw this.unreadable(key);
    if (!key || !owner || !(await this.matches(key.accessSecret, headers, signed))) {
      throw mismatch();
    }
    await this.use(headers, signed.method.toUpperCase());
    const user = headers.identifier === undefined ? owner : await this.actAs(headers.identifier, owner);
    return { user, accessKey: key.accessKey, clientId: this.header(request, 'clientid') ?? null };
  }

  private read(request: IncomingMessage): SignatureHeaders {
    const [accessKey, rts, hash, version] = ['accesskey', 'rts', 'hash', 'version'].map((name) => this.header(request, name));
    if (!accessKey || !rts || !hash) throw signatureErrors.signature_missing('Send the headers accesskey, rts, hash and version.');
    if (!version || !/^\d{1,3}$/.test(version) || Number(version) < LEAST_VERSION) {
      throw signatureErrors.signature_version_unsupported(
        `Sign with version ${LEAST_VERSION} and send the header version: ${LEAST_VERSION}.`,
      );
    }
    const age = Math.abs(this.clock.now().getTime() / 1000 - Number(rts));
    if (!/^\d{1,12}$/.test(rts) || age > this.config.signatureMaxAgeSeconds) {
      throw signatureErrors.signature_expired(
        `rts must be within ${this.config.signatureMaxAgeSeconds} seconds of the time of the service.`,
      );
    }
    return { accessKey, rts, hash, identifier: this.header(request, 'identifier') || undefined };
  }

  /** The caller can do nothing about it, the operator can. */
  private unreadable({ accessKey }: OpenedAccessKey): DomainError {
    this.log.error({ accessKey }, 'the secret of an access key was encrypted under another APP_SECRET: declare it again');
    return signatureErrors.signature_mismatch(
      'The secret of this access key cannot be read any more; the operator has to declare it again.',
      {
        secretsUnreadable: true,
      },
    );
  }

  private async matches(accessSecret: string, { rts, hash, identifier }: SignatureHeaders, signed: SignedRequest): Promise<boolean> {
    const { path, ...parts } = signed;
    const expected = await inTurns(signaturesOf(accessSecret, { path, identifier, rts }, parts));
    return expected.filter((one) => equalInConstantTime(one, hash)).length > 0; // every variant is compared, whichever fits
  }

  /** The method is no part of what is signed, so the first use binds the signature to it; a GET may be repeated. */
  private async use({ accessKey, hash, rts }: SignatureHeaders, method: string): Promise<void> {
    const expiresAt = new Date((Number(rts) + this.config.signatureMaxAgeSeconds + 1) * 1000);
    const signature = `${accessKey} ${hash}`;
    if (await this.used.claim(signature, method, expiresAt)) return;
    if (method === 'GET' && (await this.used.findMethod(signature)) === 'GET') return;
    throw signatureErrors.signature_replayed('This signature was used already; sign each request anew.');
  }

  /** By id or e-mail address, within the customer of the key's user and never with more rights than that user has. */
  private async actAs(identifier: string, owner: Principal): Promise<Principal> {
    const user = await this.principals.findByIdentifier(owner.customerId, identifier);
    if (user && user.adminLevel <= owner.adminLevel) return user;
    throw signatureErrors.identifier_not_allowed('The identifier names no user that this access key may act for.');
  }

  private header(request: IncomingMessage, name: string): string | undefined {
    const plain = name === 'clientid' ? request.headers.clientid : undefined;
    return prefixedHeader(request, this.config.headerPrefixes, name) ?? (typeof plain === 'string' ? plain : undefined);
  }
}

const mismatch = () => signatureErrors.signature_mismatch('The access key is unknown, or the hash does not belong to this request.');
