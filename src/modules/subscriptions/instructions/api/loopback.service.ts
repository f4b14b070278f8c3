import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { Agent, type Dispatcher } from 'undici';
import { currentTraceparent } from '../../../../shared/tracing/index.js';

const TIMEOUT_MS = 15_000; // as for other receivers (contract section 9)
const MAX_ANSWER_BYTES = 2 * 1_048_576; // the service's own limit for a body; there may be hundreds of concurrent calls

/** One call of this service to itself. */
export interface LoopbackCall {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  readonly token: string;
  readonly messageId: string;
  /** JSON; null: the request has no body. */
  readonly body: string | null;
}

/** The answer, or why there is none. `body` is null if the answer is not JSON. */
export type LoopbackAnswer =
  | { readonly statusCode: number; readonly body: unknown; readonly retryAfterSeconds?: number }
  | { readonly failure: { readonly code: 'timeout' | 'connection' | 'answer'; readonly words: string } };

/** Calls this service over loopback, on persistent connections. */
@Injectable()
export class LoopbackService {
  private readonly agent = new Agent();

  /** Sends the request and waits for the whole answer, by default up to 15 s. */
  async call({ url, method, token, messageId, body }: LoopbackCall, timeoutMs = TIMEOUT_MS): Promise<LoopbackAnswer> {
    const { origin, pathname, search } = new URL(url);
    const traceparent = currentTraceparent();
    try {
      const response = await this.agent.request({
        origin,
        path: pathname + search,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'idempotency-key': messageId,
          ...(traceparent !== null && { traceparent }),
          ...(body !== null && { 'content-type': 'application/json' }),
        },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return await readAnswer(response);
    } catch (error) {
      return toFailure(error, timeoutMs);
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<LoopbackAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES)
      return { failure: { code: 'answer', words: `answered with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB` } };
    chunks.push(chunk);
  }
  const retryAfter = Number(headers['retry-after']); // the service itself writes seconds only
  const wait = Number.isInteger(retryAfter) ? { retryAfterSeconds: retryAfter } : {};
  return { statusCode, body: parseJson(Buffer.concat(chunks).toString('utf8')), ...wait };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null; // an answer without a body, or a page
  }
}

function toFailure(error: unknown, timeoutMs: number): LoopbackAnswer {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (name === 'TimeoutError') return { failure: { code: 'timeout', words: `did not answer within ${timeoutMs / 1_000} s` } };
  return { failure: { code: 'connection', words: `could not be called (${typeof code === 'string' ? code : 'the connection broke'})` } };
}

/** The origin at which this process reaches itself, such as `http://127.0.0.1:3000`; null: it does not listen. */
export function findOwnOrigin({ httpAdapter }: HttpAdapterHost): string | null {
  const server = httpAdapter?.getHttpServer() as Server | undefined;
  const address = server?.address?.() ?? null;
  if (address === null || typeof address === 'string') return null;
  return `http://${reachableAddress(address.address)}:${address.port}`;
}

/** A server that listens on all addresses is reached at the loopback address of the same family. */
function reachableAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
