import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/time/index.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.entity.js';
import { SamlRequests } from '../requests/saml-requests.js';
import { SamlRefusal } from '../saml-refusal.js';
import { ServiceProvider } from '../service-provider/service-provider.js';
import { checkResponse } from './check-response.js';
import { checkStructure } from './check-structure.js';
import { decodeResponse } from './decode-response.js';
import { explainRefusal } from './explain-refusal.js';
import { type Assertion, readAssertion } from './read-assertion.js';
import { type SignatureCheck, SignatureThread } from './signature-thread.js';

/** A genuine response to a request of ours. */
export interface VerifiedResponse {
  readonly requestId: string;
  readonly assertion: Assertion;
}

/** Decides whether a response is genuine and meant for us. It changes nothing, so that a forged one uses nothing up. */
@Injectable()
export class ResponseVerifier {
  constructor(
    private readonly serviceProvider: ServiceProvider,
    private readonly requests: SamlRequests,
    private readonly signatures: SignatureThread,
    private readonly clock: Clock,
  ) {}

  /** @throws SamlRefusal */
  async verify(provider: IdentityProvider, field: unknown): Promise<VerifiedResponse> {
    const { issuer, signedResponse } = provider;
    const { acsUrl } = this.serviceProvider.addresses(provider.ssoIdentifier);
    const xml = decodeResponse(field);
    const requestId = checkResponse(checkStructure(xml), { issuer, acsUrl, signedResponse });
    const requestedAt = await this.checkRequest(provider, requestId);
    const signedXml = await this.checkSignature(provider, { xml, requestId, requestedAt });
    return { requestId, assertion: readAssertion(signedXml, { issuer, acsUrl, requestId, now: this.clock.now() }) };
  }

  /** Tells an answered request from one that has expired or never existed; which response uses it up is decided later, in one statement. */
  private async checkRequest(provider: IdentityProvider, requestId: string): Promise<string> {
    const request = await this.requests.find(provider.id, requestId);
    if (!request || request.expiresAt <= this.clock.now()) throw new SamlRefusal('saml_request_unknown', 'no such request is waiting');
    if (request.consumedAt) throw new SamlRefusal('saml_response_replayed', 'the request was answered already');
    return request.createdAt.toISOString();
  }

  /** node-saml's own checks: signatures, audience, times, InResponseTo. Answers the bytes of the assertion that are signed. */
  private async checkSignature(provider: IdentityProvider, response: Omit<SignatureCheck, 'options'>): Promise<string> {
    const options = this.serviceProvider.verification(provider);
    const { signedXml, problem } = await this.signatures.check({ ...response, options });
    if (problem !== null) throw explainRefusal(problem);
    if (!signedXml) throw new SamlRefusal('saml_response_malformed', 'node-saml found no assertion');
    return signedXml;
  }
}
