import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { type Assertion, checkResponse, readAssertion } from './check-response.js';
import { checkStructure, decodeResponse } from './decode-response.js';
import type { IdentityProvider } from './identity-provider.entity.js';
import { type SamlCode, SamlRefusal } from './saml.errors.js';
import { SamlRequestsRepository } from './saml-requests.repository.js';
import { ServiceProviderService } from './service-provider.service.js';
import { type SignatureCheck, SignatureThreadService } from './signature-thread.service.js';

/** A verified response to one of our requests. */
export interface VerifiedResponse {
  readonly requestId: string;
  readonly assertion: Assertion;
}

/** Checks that a response is genuine and addressed to this service. It changes nothing, so a forged response cannot end a sign-in. */
@Injectable()
export class ResponseVerifierService {
  constructor(
    private readonly serviceProvider: ServiceProviderService,
    private readonly requests: SamlRequestsRepository,
    private readonly signatures: SignatureThreadService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws SamlRefusal */
  async verify(provider: IdentityProvider, field: unknown): Promise<VerifiedResponse> {
    const { issuer, signedResponse } = provider;
    const { acsUrl, entityId: audience } = this.serviceProvider.addressesOf(provider.ssoIdentifier);
    const xml = decodeResponse(field);
    const requestId = checkResponse(checkStructure(xml), { issuer, acsUrl, signedResponse });
    const requestedAt = await this.findRequestTime(provider, requestId);
    const signedXml = await this.verifySignature(provider, { xml, requestId, requestedAt });
    const skewMs = this.config.samlClockSkewSeconds * 1_000;
    return { requestId, assertion: readAssertion(signedXml, { issuer, audience, acsUrl, requestId, now: this.clock.now(), skewMs }) };
  }

  /**
   * Returns when the request was created (ISO 8601). Refuses early what cannot succeed; `SamlRequestsRepository.consume` decides between
   * responses that arrive at the same moment.
   */
  private async findRequestTime(provider: IdentityProvider, requestId: string): Promise<string> {
    const request = await this.requests.find(provider.id, requestId);
    if (!request || request.expiresAt <= this.clock.now())
      throw new SamlRefusal('saml_request_unknown', 'there is no such request, or it has expired');
    if (request.consumedAt) throw new SamlRefusal('saml_response_replayed', 'the request was answered before');
    return request.createdAt.toISOString();
  }

  /** Returns the XML of the signed assertion after node-saml has checked signatures, audience, times and InResponseTo. */
  private async verifySignature(provider: IdentityProvider, response: Omit<SignatureCheck, 'options'>): Promise<string> {
    const options = this.serviceProvider.verificationOptions(provider);
    const { signedXml, problem } = await this.signatures.check({ ...response, options }, provider.customerId);
    if (problem !== null) throw explainRefusal(problem);
    if (!signedXml) throw new SamlRefusal('saml_response_malformed', 'node-saml found no assertion');
    return signedXml;
  }
}

/** The errors of node-saml 5 differ only in their messages. */
const CODES: readonly (readonly [RegExp, SamlCode])[] = [
  [/expired|not yet valid|subject confirmation/i, 'saml_assertion_expired'],
  [/does not match subjectInResponseTo/, 'saml_request_mismatch'],
  [/InResponseTo/i, 'saml_request_unknown'],
  [/signature|signed|ID cannot refer/i, 'saml_signature_invalid'],
];

/** Maps a problem that node-saml reports to our code. */
function explainRefusal(problem: string): SamlRefusal {
  const [, code] = CODES.find(([pattern]) => pattern.test(problem)) ?? [];
  return new SamlRefusal(code ?? 'saml_response_malformed', problem);
}
