import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { bodyLimitOf, lengthOf, NOTHING_PROVEN, type Proof } from '../http/body-limit.js';
import { answerEarly } from '../http/parse-body.js';
import type { Step } from '../http/pipeline.js';
import { RateLimitsService } from '../http/rate-limits.service.js';
import type { Caller } from './caller.js';
import { CallerAuthenticationService } from './caller-authentication.service.js';

const TOKEN: ReadonlySet<Caller['method']> = new Set(['bearer']);
const COOKIES: ReadonlySet<Caller['method']> = new Set(['session', 'framed_session']);

/**
 * Admission before work (contract 12.10): for a request with a body it identifies the caller by the headers alone, charges the address if the
 * caller has proven nothing, and decides how much may be sent, before any of the body is read. The guard later reuses the result without another
 * check. Public operations and those that ignore credentials are not known here, so bad credentials do not refuse a request yet.
 */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly authenticators: CallerAuthenticationService,
    private readonly limiter: RateLimitsService,
  ) {}

  readonly step: Step = (request, response, next) => {
    if (lengthOf(request) === 0) return next();
    this.admit(request, response).then(
      () => next(),
      (error: unknown) => {
        answerEarly(request, response);
        next(error);
      },
    );
  };

  private async admit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let refusal: Error | null = null;
    const proof = await this.proofOf(request, response).catch((error: Error): Proof => {
      refusal = error; // the guard receives the same error and decides whether to respond with it
      return 'none';
    });
    if (proof === 'none') await this.limiter.charge('address', request.context.clientNetwork, 1);
    request.bodyLimit = { ...bodyLimitOf(request.url ?? '', proof), refusal };
  }

  private async proofOf(request: IncomingMessage, response: ServerResponse): Promise<Proof> {
    if (await this.authenticators.authenticate(request, response, TOKEN)) return 'proven';
    const length = lengthOf(request);
    if (length !== null && length <= NOTHING_PROVEN.bytes) return 'none'; // a session would not raise the limit, so no statement is needed
    if (await this.authenticators.areAnnounced(request)) return 'announced';
    return (await this.authenticators.authenticate(request, response, COOKIES)) ? 'proven' : 'none';
  }
}
