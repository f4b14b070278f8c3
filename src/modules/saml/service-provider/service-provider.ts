import { Injectable } from '@nestjs/common';
import { type CacheProvider, generateServiceProviderMetadata, SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/passport-saml';
import { Config } from '../../../shared/config/index.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.entity.js';
import { PERSISTENT } from '../xml/namespaces.js';
import { SamlSigningKey } from './signing-key.js';

const SKEW_MS = 5_000; // clocks that are kept by NTP differ by less

/** `requests`: where node-saml keeps the IDs of its requests. */
interface Login {
  readonly requests: CacheProvider;
  readonly forceAuthn: boolean;
}

/** Plain values, so that they can be handed to another thread. */
export type VerificationOptions = Omit<SamlConfig, 'cacheProvider' | 'privateKey'>;

/** This service as a SAML service provider, one for each identity provider: an entity id and an assertion consumer service of its own. */
@Injectable()
export class ServiceProvider {
  constructor(
    private readonly config: Config,
    private readonly key: SamlSigningKey,
  ) {}

  /** The metadata's address is the entity id too. */
  addresses(ssoIdentifier: string): { entityId: string; acsUrl: string } {
    const base = `${this.config.publicUrl}/v4/saml/${ssoIdentifier}`;
    return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
  }

  /** Where to send the browser: the identity provider, with a signed AuthnRequest (HTTP-Redirect binding). */
  async loginUrl(provider: IdentityProvider, { requests, forceAuthn }: Login): Promise<string> {
    const { privateKey, certificate } = await this.key.get();
    const saml = new SAML({ ...this.verification(provider), forceAuthn, cacheProvider: requests, privateKey, publicCert: certificate });
    return await saml.getAuthorizeUrlAsync('', undefined, {});
  }

  /** SPSSODescriptor XML with the certificate of our signatures. */
  async metadata({ ssoIdentifier }: IdentityProvider): Promise<string> {
    const { privateKey, certificate } = await this.key.get();
    const { entityId, acsUrl } = this.addresses(ssoIdentifier);
    return generateServiceProviderMetadata({
      issuer: entityId,
      callbackUrl: acsUrl,
      privateKey,
      publicCerts: certificate,
      identifierFormat: PERSISTENT,
      wantAssertionsSigned: true,
    });
  }

  /** What node-saml needs to verify the responses of an identity provider: plain values without a secret. */
  verification({ ssoIdentifier, ssoUrl, issuer, certificates, signedResponse }: IdentityProvider): VerificationOptions {
    const { entityId, acsUrl } = this.addresses(ssoIdentifier);
    return {
      issuer: entityId,
      audience: entityId,
      callbackUrl: acsUrl,
      entryPoint: ssoUrl,
      idpIssuer: issuer,
      idpCert: [...certificates],
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      identifierFormat: null, // the identity provider's own choice; a transient one is refused when it comes
      disableRequestedAuthnContext: true, // node-saml would ask for a password, which refuses people with a second factor
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: signedResponse,
      acceptedClockSkewMs: SKEW_MS,
      validateInResponseTo: ValidateInResponseTo.always,
    };
  }
}
