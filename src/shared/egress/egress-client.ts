import type { OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { AddressResolver } from './address-resolver.js';
import { checkedLookup } from './checked-lookup.js';
import { EgressAllowlist } from './egress-allowlist.js';
import { EgressExchange, type EgressResult } from './egress-exchange.js';
import { EgressFailure } from './egress-failure.js';
import { egressTarget } from './egress-target.js';
import { whyHeaderRefused } from './why-header-refused.js';

const TIMEOUT_MS = 15_000; // contract section 9
/** Of one process to one origin. Who asks has to see to it that the requests of one customer leave some to the others. */
const CONNECTIONS = 256;
/** How long a connection is kept without a request, also when the receiver asks for more: whoever names thousands of hosts keeps few of them. */
const KEPT_MS = 4_000;
const MAX_HEADER_BYTES = 16_384; // of an answer, all together
/** Who calls, in the logs of receivers. */
const USER_AGENT = 'media-delivery-platform';

export interface EgressRequest {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  /** They may hold secrets: nothing of them is told to anybody else. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface EgressOptions {
  readonly allowlist: readonly string[];
  readonly resolver: AddressResolver;
  readonly timeoutMs?: number;
  /** Certificates to trust in place of the usual ones, in PEM. */
  readonly ca?: string;
}

/**
 * Requests to hosts that customers name. They go over https to public addresses only, except to hosts of the allowlist; no redirect is
 * followed and no proxy of the environment is used.
 */
export class EgressClient implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly allowlist: EgressAllowlist;
  private readonly timeoutMs: number;

  constructor({ allowlist, resolver, timeoutMs = TIMEOUT_MS, ca }: EgressOptions) {
    this.allowlist = new EgressAllowlist(allowlist);
    this.timeoutMs = timeoutMs;
    this.agent = new Agent({
      // Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      connect: { lookup: checkedLookup(resolver, this.allowlist), timeout: timeoutMs, rejectUnauthorized: true, ...(ca ? { ca } : {}) },
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The exchange has one clock for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends one request. It answers for whatever happens and never rejects; the body of the answer is dropped. */
  async send(request: EgressRequest): Promise<EgressResult> {
    const target = egressTarget(request.url, this.allowlist);
    if (target instanceof EgressFailure) return notSent(target);
    const headers: Record<string, string> = { 'user-agent': USER_AGENT };
    for (const [name, value] of Object.entries(request.headers)) {
      const problem = whyHeaderRefused(name, value);
      if (problem) return notSent(new EgressFailure('invalid header', problem));
      headers[name.toLowerCase()] = asOctets(value);
    }
    const { origin, path, host } = target;
    return await new Promise((resolve) => {
      const exchange = new EgressExchange(host, this.timeoutMs, resolve);
      try {
        this.agent.dispatch({ origin, path, method: request.method, headers, body: request.body }, exchange);
      } catch (error) {
        exchange.onResponseError(null, error as Error);
      }
    });
  }

  /** After everything that sends has stopped; what is under way nevertheless fails. */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

const notSent = (failure: EgressFailure): EgressResult => ({ statusCode: 0, failure, retryAfter: null });

/** undici writes one byte for a character: text beyond ASCII goes out in UTF-8. */
const asOctets = (value: string): string => Buffer.from(value).toString('latin1');
