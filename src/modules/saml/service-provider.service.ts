import { webcrypto } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CacheItem, CacheProvider, SamlConfig, ValidateInResponseTo } from '@node-saml/passport-saml';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { Database, insertIfAbsent } from '../../shared/database/index.js';
import { Log } from '../../shared/logging/index.js';
import { SecretBoxService } from '../../shared/secrets/index.js';
import type { IdentityProvider } from './identity-provider.entity.js';
import { samlError } from './saml.errors.js';
import { SAML_PRIVATE_KEY, SamlKey } from './saml-key.entity.js';
import { type NewSamlRequest, SamlRequestsRepository } from './saml-requests.repository.js';
import { PERSISTENT } from './xml.js';

const KEY_ID = 1;

/** Loaded when they are first needed, because loading them would take a sixth of the start of each process. */
const loadNodeSaml = async () => await import('@node-saml/passport-saml');
const loadX509 = async () => await import('@peculiar/x509');

/** What is stored with a new request. */
export type RequestDetails = Pick<NewSamlRequest, 'returnTo' | 'browserHash' | 'expiresAt'>;

/** Plain values without a secret, so that they can be passed to another thread. */
export type VerificationOptions = Omit<SamlConfig, 'cacheProvider' | 'privateKey'>;

/** A private key with its certificate, both in PEM. */
interface CertifiedKey {
  readonly privateKey: string;
  readonly certificate: string;
}

/**
 * Implements this service as a SAML service provider, with a separate entity id and assertion consumer service for each identity provider. One
 * key signs all requests; it is created when first needed, and stored encrypted in the database for all processes.
 */
@Injectable()
export class ServiceProviderService {
  private key: CertifiedKey | null = null;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly requests: SamlRequestsRepository,
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Returns the URLs of this service for an identity provider; the entity id is the URL of the metadata. */
  addressesOf(ssoIdentifier: string): { entityId: string; acsUrl: string } {
    const base = `${this.config.publicUrl}/v4/saml/${ssoIdentifier}`;
    return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
  }

  /** Stores a new AuthnRequest and returns the URL that sends it, signed, to the identity provider (HTTP-Redirect binding). */
  async createLoginUrl(provider: IdentityProvider, { forceAuthn, ...details }: RequestDetails & { forceAuthn: boolean }): Promise<string> {
    const { privateKey, certificate: publicCert } = await this.getKey();
    const cacheProvider = new RequestCache(this.requests, provider.id, details);
    const { SAML } = await loadNodeSaml();
    const saml = new SAML({ ...this.verificationOptions(provider), forceAuthn, cacheProvider, privateKey, publicCert });
    return await saml.getAuthorizeUrlAsync('', undefined, {});
  }

  /** Returns SPSSODescriptor XML with the certificate of the key that signs our requests. */
  async createMetadata({ ssoIdentifier }: IdentityProvider): Promise<string> {
    const { privateKey, certificate } = await this.getKey();
    const { entityId, acsUrl } = this.addressesOf(ssoIdentifier);
    const { generateServiceProviderMetadata } = await loadNodeSaml();
    return generateServiceProviderMetadata({
      issuer: entityId,
      callbackUrl: acsUrl,
      privateKey,
      publicCerts: certificate,
      identifierFormat: PERSISTENT,
      wantAssertionsSigned: true,
    });
  }

  /** What node-saml needs to verify responses of an identity provider. */
  verificationOptions({ ssoIdentifier, ssoUrl, issuer, certificates, signedResponse }: IdentityProvider): VerificationOptions {
    const { entityId, acsUrl } = this.addressesOf(ssoIdentifier);
    return {
      issuer: entityId,
      audience: false, // readAssertion checks it
      callbackUrl: acsUrl,
      entryPoint: ssoUrl,
      idpIssuer: issuer,
      idpCert: [...certificates],
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      identifierFormat: null, // the identity provider chooses; a transient NameID is refused when it arrives
      disableRequestedAuthnContext: true, // node-saml would request password authentication, which excludes people who use a second factor
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: signedResponse,
      acceptedClockSkewMs: this.config.samlClockSkewSeconds * 1_000,
      validateInResponseTo: 'always' as ValidateInResponseTo.always,
    };
  }

  /** @throws DomainError 503 `saml_key_unreadable` */
  private async getKey(): Promise<CertifiedKey> {
    this.key ??= (await this.findKey()) ?? (await this.createKey());
    return this.key;
  }

  private async findKey(): Promise<CertifiedKey | null> {
    const stored = await this.database.repository(SamlKey).findOneBy({ id: KEY_ID });
    if (!stored) return null;
    const opened = this.secrets.tryOpen(SAML_PRIVATE_KEY, stored.sealedPrivateKey);
    if (opened) return { privateKey: opened.plain, certificate: stored.certificate };
    this.log.error(
      { operation: 'decrypt' },
      'the key that signs SAML requests was encrypted under another APP_SECRET: add that one to APP_SECRET_PREVIOUS',
    );
    throw samlError('saml_key_unreadable');
  }

  /** Creates the key. If several processes create one at the same moment, all use the first that is stored. */
  private async createKey(): Promise<CertifiedKey> {
    const { privateKey, certificate } = await makeCertificate(new URL(this.config.publicUrl).host, this.clock.now());
    const sealedPrivateKey = this.secrets.seal(SAML_PRIVATE_KEY, privateKey);
    await insertIfAbsent(this.database.repository(SamlKey), { id: KEY_ID, sealedPrivateKey, certificate });
    const stored = await this.findKey();
    if (!stored) throw new Error('The key was stored a moment ago.');
    return stored;
  }
}

/** Stores node-saml's new requests to one identity provider in the database, so that any process can accept the response. */
class RequestCache implements CacheProvider {
  constructor(
    private readonly requests: SamlRequestsRepository,
    private readonly identityProviderId: number,
    private readonly details: RequestDetails,
  ) {}

  async saveAsync(id: string, value: string): Promise<CacheItem> {
    await this.requests.insert({ ...this.details, id, identityProviderId: this.identityProviderId });
    return { value, createdAt: Date.now() };
  }

  /** Not called for new requests; `ResponseVerifierService` looks up the request of a response. */
  async getAsync(): Promise<null> {
    return null;
  }

  async removeAsync(): Promise<null> {
    return null;
  }
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2_048 };
const YEARS = 20; // administrators install the certificate by hand, and logins fail once it expires; it identifies only the key

/** Creates an RSA key (PKCS #8) and a self-signed certificate, both in PEM. `name` is for people who read the certificate. */
export async function makeCertificate(name: string, now: Date): Promise<{ privateKey: string; certificate: string }> {
  const { PemConverter, X509CertificateGenerator } = await loadX509();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: [{ CN: [name] }], notBefore: new Date(now.getTime() - 86_400_000), notAfter, signingAlgorithm: ALGORITHM, keys },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { privateKey: PemConverter.encode(pkcs8, 'PRIVATE KEY'), certificate: certificate.toString('pem') };
}
