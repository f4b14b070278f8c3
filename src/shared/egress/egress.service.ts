import type { OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { inSpan } from '../tracing/index.js';
import type { AddressResolver } from './address-resolver.port.js';
import { EgressFailure, toEgressFailure } from './egress-failure.js';
import { checkedLookup, EgressAllowlist, type EgressTarget, egressTarget } from './egress-target.js';

const TIMEOUT_MS = 15_000; // contract section 9
/** Per process and origin. The caller must distribute them among customers. */
const MAX_CONNECTIONS = 256;
/** How long an idle connection is kept, whatever the receiver requests, because a customer may name thousands of hosts. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16_384; // for all headers of a response
/** The body of a response is not used; reading stops at this size, which closes the connection. */
const MAX_ANSWER_BYTES = 65_536;
/** Identifies the caller in the logs of receivers. */
const USER_AGENT = 'media-delivery-platform';

/** RFC 9110 section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Any of these could end the header and start another header or the body. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\0-\x08\x0a-\x1f\x7f]/;
/** Headers of the connection (RFC 9110 section 7.6.1), and those that define the target and length of a request, which the client sets itself. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface EgressRequest {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  /** Headers may contain secrets, so they never appear in messages. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface EgressOptions {
  readonly allowlist: readonly string[];
  readonly resolver: AddressResolver;
  readonly timeoutMs?: number;
  /** Certificates in PEM that are trusted instead of the default ones. */
  readonly ca?: string;
}

/** The result of a request. */
export interface EgressResult {
  /** 0: no response was received. */
  readonly statusCode: number;
  /** Null: the status was 2xx. */
  readonly failure: EgressFailure | null;
  /** The Retry-After header as it was received. */
  readonly retryAfter: string | null;
}

/**
 * Sends requests to hosts that customers name. They use https and public addresses only, except for hosts of the allowlist; redirects are not
 * followed, and proxies of the environment are not used.
 */
export class EgressService implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly allowlist: EgressAllowlist;
  private readonly timeoutMs: number;

  constructor({ allowlist, resolver, timeoutMs = TIMEOUT_MS, ca }: EgressOptions) {
    this.allowlist = new EgressAllowlist(allowlist);
    this.timeoutMs = timeoutMs;
    this.agent = new Agent({
      // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED disables that.
      connect: { lookup: checkedLookup(resolver, this.allowlist), timeout: timeoutMs, rejectUnauthorized: true, ...(ca ? { ca } : {}) },
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A single timeout covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends one request. It never rejects: every failure is a result. The body of the response is discarded. */
  async send(request: EgressRequest): Promise<EgressResult> {
    const target = egressTarget(request.url, this.allowlist);
    if (target instanceof EgressFailure) return notSent(target);
    const headers: Record<string, string> = { 'user-agent': USER_AGENT };
    for (const [name, value] of Object.entries(request.headers)) {
      const problem = findHeaderProblem(name, value);
      if (problem) return notSent(new EgressFailure('invalid header', problem));
      headers[name.toLowerCase()] = asOctets(value);
    }
    const { method } = request;
    return await inSpan({ name: `egress ${method}`, kind: 'client', attributes: { 'server.address': target.host } }, async (span) => {
      if (span) headers.traceparent ??= span.traceparent;
      const result = await this.exchange(target, { ...request, headers });
      span?.add({ 'http.response.status_code': result.statusCode, succeeded: result.failure === null });
      return result;
    });
  }

  private async exchange({ origin, path, host }: EgressTarget, { method, headers, body }: EgressRequest): Promise<EgressResult> {
    return await new Promise((resolve) => {
      const exchange = new EgressExchange(host, this.timeoutMs, resolve);
      try {
        this.agent.dispatch({ origin, path, method, headers, body }, exchange);
      } catch (error) {
        exchange.onResponseError(null, error as Error);
      }
    });
  }

  /** Aborts the remaining requests, which then fail. */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

/** What is wrong with a request header, in words and without its value; null if it is valid. */
export function findHeaderProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return 'the name of a header is not valid';
  const lower = name.toLowerCase();
  if (RESERVED_HEADERS.has(lower) || lower.startsWith('proxy-')) return `the header ${lower} cannot be set`;
  return CONTROL_CHARACTERS.test(value) ? `the header ${lower} has a line break or another control character in its value` : null;
}

const notSent = (failure: EgressFailure): EgressResult => ({ statusCode: 0, failure, retryAfter: null });

/** undici writes one byte per character, so non-ASCII text is converted to UTF-8 bytes. */
const asOctets = (value: string): string => Buffer.from(value).toString('latin1');

/** One request, from waiting for a connection to the end of the response; `timeoutMs` covers all of it. */
class EgressExchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private readonly timer: NodeJS.Timeout;
  private statusCode = 0;
  private retryAfter: string | null = null;
  private received = 0;
  private ended = false;

  constructor(
    private readonly host: string,
    private readonly timeoutMs: number,
    private readonly settle: (result: EgressResult) => void,
  ) {
    this.timer = setTimeout(() => this.timeOut(), timeoutMs);
  }

  /** Called when the connection is established and the request is about to be written; aborts a request that timed out while waiting. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    if (statusCode < 200) return; // an interim response (RFC 9110 section 15.2)
    this.statusCode = statusCode;
    this.retryAfter = headers['retry-after']?.toString() ?? null;
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.received += part.length;
    if (this.received <= MAX_ANSWER_BYTES) return;
    this.end(this.toStatusFailure());
    controller.abort(new Error('answer too long'));
  }

  onResponseEnd(): void {
    this.end(this.toStatusFailure());
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.end(toEgressFailure(error, this.host));
  }

  private timeOut(): void {
    const missing = this.statusCode === 0 ? 'did not answer' : 'did not end its answer';
    this.end(new EgressFailure('timeout', `${this.host} ${missing} within ${this.timeoutMs / 1_000} s`));
    this.controller?.abort(new Error('given up'));
  }

  private end(failure: EgressFailure | null): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.settle({ statusCode: this.statusCode, failure, retryAfter: this.retryAfter });
  }

  private toStatusFailure(): EgressFailure | null {
    const { host, statusCode } = this;
    if (statusCode < 300) return null;
    if (statusCode < 400) return new EgressFailure('redirect', `${host} answered ${statusCode}; redirects are not followed`);
    if (statusCode < 600) return new EgressFailure(statusCode < 500 ? 'http-4xx' : 'http-5xx', `${host} answered ${statusCode}`);
    return new EgressFailure('invalid answer', `${host} answered ${statusCode}`);
  }
}
