import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, CallerAuthenticationService, type CallerAuthenticator, callerOf } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { inTurns } from '../../../shared/fairness/index.js';
import { prefixedHeader } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { equalInConstantTime } from '../../../shared/secrets/index.js';
import { AccessKeysService, type OpenedAccessKey, type Principal, PrincipalsService } from '../../accounts/index.js';
import { signaturesOf } from './signature-message.js';
import { signatureErrors } from './signed-requests.errors.js';
import { UsedSignaturesRepository } from './used-signatures.repository.js';

/** The request that was signed: the current one, or one that another service received and submits for verification. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** The user for whom a request was signed. */
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

const MIN_VERSION = 5;

/**
 * Verifies the signed requests of servers, which have an access key and an HMAC over the request. This runs after routing, when the path
 * parameters and the body are known.
 */
@Injectable()
export class SignedRequestsService implements CallerAuthenticator, OnModuleInit {
  readonly method = 'signature';

  constructor(
    private readonly config: Config,
    private readonly accessKeys: AccessKeysService,
    private readonly principals: PrincipalsService,
    private readonly used: UsedSignaturesRepository,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly authenticators: CallerAuthenticationService,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  /**
   * Whether the headers announce a signed request with an existing access key and a time within the window. The signature itself cannot be
   * verified before the body is known.
   * @throws DomainError 401 `signature_…`
   */
  async isAnnounced(request: IncomingMessage): Promise<boolean> {
    if (!this.isSigned(request)) return false;
    const { accessKey } = this.readHeaders(request);
    if (!(await this.accessKeys.find(accessKey))) throw mismatch();
    return true;
  }

  authenticate(request: Request): Promise<Caller> | null {
    return this.isSigned(request) ? this.identify(request) : null;
  }

  private async identify(request: Request): Promise<Caller> {
    const { method, originalUrl: path, params, query, body } = request;
    const { user, accessKey, clientId } = await this.verify(request, { method, path, params, query, body });
    return callerOf(user, 'signature', { accessKey, clientId });
  }

  /** Whether the request carries any header of a signature. */
  private isSigned(request: IncomingMessage): boolean {
    return ['accesskey', 'hash', 'rts'].some((name) => this.header(request, name) !== undefined);
  }

  /** @throws DomainError 401 `signature_…`, 403 `identifier_not_allowed` */
  async verify(request: IncomingMessage, signed: SignedRequest): Promise<Signer> {
    const headers = this.readHeaders(request);
    const key = await this.accessKeys.find(headers.accessKey);
    const owner = key && (await this.principals.find(key.userId));
    if (key?.accessSecret === null) throw this.secretUnreadable(key);
    if (!key || !owner || !(await this.matches(key.accessSecret, headers, signed))) {
      throw mismatch();
    }
    await this.claimSignature(headers, signed.method.toUpperCase());
    const user = headers.identifier === undefined ? owner : await this.findIdentified(headers.identifier, owner);
    return { user, accessKey: key.accessKey, clientId: this.header(request, 'clientid') ?? null };
  }

  private readHeaders(request: IncomingMessage): SignatureHeaders {
    const [accessKey, rts, hash, version] = ['accesskey', 'rts', 'hash', 'version'].map((name) => this.header(request, name));
    if (!accessKey || !rts || !hash) {
      throw signatureErrors.signature_missing('Send x-service-accesskey, x-service-rts, x-service-hash and x-service-version.');
    }
    if (!version || !/^\d{1,3}$/.test(version) || Number(version) < MIN_VERSION) {
      throw signatureErrors.signature_version_unsupported(`Sign with version ${MIN_VERSION} and send x-service-version: ${MIN_VERSION}.`);
    }
    const age = Math.abs(this.clock.now().getTime() / 1000 - Number(rts));
    if (!/^\d{1,12}$/.test(rts) || age > this.config.signatureMaxAgeSeconds) {
      throw signatureErrors.signature_expired(
        `x-service-rts must be within ${this.config.signatureMaxAgeSeconds} seconds of the time of the service; check the clock.`,
      );
    }
    return { accessKey, rts, hash, identifier: this.header(request, 'identifier') || undefined };
  }

  /** Only the operator can repair this, so the log explains how. */
  private secretUnreadable({ accessKey }: OpenedAccessKey): DomainError {
    this.log.error(
      { operation: 'decrypt', accessKey },
      'the secret of an access key was encrypted under another APP_SECRET: declare it again',
    );
    return signatureErrors.signature_mismatch(
      'The secret of this access key can no longer be decrypted. The operator has to declare it again.',
      {
        secretsUnreadable: true,
      },
    );
  }

  private async matches(accessSecret: string, { rts, hash, identifier }: SignatureHeaders, signed: SignedRequest): Promise<boolean> {
    const { path, ...parts } = signed;
    const expected = await inTurns(signaturesOf(accessSecret, { path, identifier, rts }, parts));
    return expected.filter((one) => equalInConstantTime(one, hash)).length > 0; // all variants are compared, so that the time reveals nothing
  }

  /** Accepts a signature once, or any number of times for GET. It does not cover the method, so the first use binds it to a method. */
  private async claimSignature({ accessKey, hash, rts }: SignatureHeaders, method: string): Promise<void> {
    const expiresAt = new Date((Number(rts) + this.config.signatureMaxAgeSeconds + 1) * 1000);
    const signature = `${accessKey} ${hash}`;
    if (await this.used.claim(signature, method, expiresAt)) return;
    if (method === 'GET' && (await this.used.findMethod(signature)) === 'GET') return;
    throw signatureErrors.signature_replayed('This signature was used before. Sign each request again.');
  }

  /** Finds the user of an identifier (id or e-mail address), who must have the same customer and no more rights than the user of the key. */
  private async findIdentified(identifier: string, owner: Principal): Promise<Principal> {
    const user = await this.principals.findByIdentifier(owner.customerId, identifier);
    if (user && user.adminLevel <= owner.adminLevel) return user;
    throw signatureErrors.identifier_not_allowed('The access key may not act for the user that the identifier names.');
  }

  private header(request: IncomingMessage, name: string): string | undefined {
    const plain = name === 'clientid' ? request.headers.clientid : undefined;
    return prefixedHeader(request, this.config.headerPrefixes, name) ?? (typeof plain === 'string' ? plain : undefined);
  }
}

const mismatch = () => signatureErrors.signature_mismatch('The access key is unknown, or the hash does not match this request.');
