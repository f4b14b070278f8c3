import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';

type HttpHandler = Extract<STSClientConfig['requestHandler'], { handle: unknown }>;
type HttpRequest = Parameters<HttpHandler['handle']>[0];
type HttpOptions = Parameters<HttpHandler['handle']>[1];
export type HttpAnswer = Awaited<ReturnType<HttpHandler['handle']>>;

/** Where the service is, as the SDK found out. */
export type Address = Pick<HttpRequest, 'protocol' | 'hostname' | 'port' | 'path'>;

/** A first try that was made already; the SDK's own first one gets what came of it. */
export class FirstTry {
  constructor(private outcome: Promise<HttpAnswer> | null) {}

  take(): Promise<HttpAnswer> | null {
    const { outcome } = this;
    this.outcome = null;
    return outcome;
  }
}

export interface Patience {
  /** For a connection, its TLS included. */
  readonly connectionTimeout: number;
  /** For an answer to begin, and between its parts. */
  readonly requestTimeout: number;
}

/** Connections that nobody needs are closed; where the server says that it closes them sooner, sooner. */
const KEEP_ALIVE_MS = 15_000;

/** Who calls, as the log of the storage (on AWS: CloudTrail) names it. */
const USER_AGENT = 'media-delivery-platform';

/** Errors of undici for a server that does not answer or went away. The SDK knows them by another name, and tries again. */
const TRANSIENT = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET']);

/**
 * How the AWS SDK reaches a service whose questions and answers are short (the query protocol of STS): on undici, which costs half of
 * node:http, each answer read to its end before it is given out. Not for S3, whose bodies are streams.
 */
export class ShortAnswerHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  /** Null before the first request. */
  address: Address | null = null;
  private readonly agent: Agent;

  constructor({ connectionTimeout, requestTimeout }: Patience) {
    this.agent = new Agent({
      connect: { timeout: connectionTimeout },
      headersTimeout: requestTimeout,
      bodyTimeout: requestTimeout,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Resolves with every answer, whatever its status; rejects when there is none. */
  handle(request: HttpRequest, { abortSignal, requestTimeout, firstTry }: HttpOptions & { firstTry?: FirstTry } = {}): Promise<HttpAnswer> {
    const outcome = firstTry?.take();
    if (outcome) return outcome;
    this.address ??= addressOf(request);
    return new Promise((resolve, reject) => {
      const patience = requestTimeout ? { headersTimeout: requestTimeout, bodyTimeout: requestTimeout } : {};
      const answer = new Answer(resolve, reject, abortSignal as AbortSignal | undefined);
      this.agent.dispatch({ ...target(request), ...patience }, answer);
    });
  }

  destroy(): void {
    this.agent.destroy().catch(() => {}); // calls under way hear of it themselves
  }

  /** The SDK's way to change options later, of which there are none. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }
}

const addressOf = ({ protocol, hostname, port, path }: HttpRequest): Address => ({ protocol, hostname, port, path });

function target({ protocol, hostname, port, method, path, query, headers, body }: HttpRequest): Dispatcher.DispatchOptions {
  if (Object.keys(query).length > 0) throw new Error('A query belongs into the body here.');
  return {
    origin: `${protocol}//${hostname}${port ? `:${port}` : ''}`,
    method,
    path,
    headers: { 'user-agent': USER_AGENT, ...headers },
    body,
  };
}

/** One answer while it arrives. */
class Answer implements Dispatcher.DispatchHandler {
  private readonly parts: Buffer[] = [];
  private readonly headers: Record<string, string> = {};
  private statusCode = 0;
  private reason: string | undefined;
  private controller: Dispatcher.DispatchController | null = null;

  constructor(
    private readonly resolve: (answer: HttpAnswer) => void,
    private readonly reject: (error: Error) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', this.abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.signal?.aborted) this.abort();
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: NodeJS.Dict<string | string[]>, reason?: string): void {
    this.statusCode = statusCode;
    this.reason = reason;
    for (const name in headers) this.headers[name] = String(headers[name]); // several values: with commas
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.parts.push(part);
  }

  onResponseEnd(): void {
    this.signal?.removeEventListener('abort', this.abort);
    const { statusCode, reason, headers, parts } = this;
    const [first = Buffer.alloc(0)] = parts;
    this.resolve({ response: { statusCode, reason, headers, body: parts.length > 1 ? Buffer.concat(parts) : first } });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.signal?.removeEventListener('abort', this.abort);
    this.reject(isTransient(error) ? Object.assign(new Error(error.message, { cause: error }), { name: 'TimeoutError' }) : error);
  }

  /** At once, also while the connection is being made. */
  private readonly abort = (): void => {
    const error = Object.assign(new Error('Request aborted'), { name: 'AbortError' });
    this.controller?.abort(error);
    this.reject(error);
  };
}

const isTransient = (error: Error & { code?: string }): boolean => error.code !== undefined && TRANSIENT.has(error.code);
