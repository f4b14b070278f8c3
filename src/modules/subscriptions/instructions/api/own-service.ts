import { Injectable } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';

const TIMEOUT_MS = 15_000; // as for other receivers (contract section 9)
const MOST_BYTES = 2 * 1_048_576; // as much as it takes for a body itself; hundreds of calls may be under way at once

/** One call of this service to itself. */
export interface OwnCall {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  readonly token: string;
  readonly messageId: string;
  /** JSON; null: none is sent. */
  readonly body: string | null;
}

/** How it was answered, or why it was not. `body` is null where the answer is no JSON. */
export type OwnAnswer =
  | { readonly statusCode: number; readonly body: unknown; readonly retryAfterSeconds?: number }
  | { readonly failure: { readonly code: 'timeout' | 'connection' | 'answer'; readonly words: string } };

/** The service as its own client, over connections that are kept. */
@Injectable()
export class OwnService {
  private readonly agent = new Agent();

  /** Waits up to 15 s for the whole answer. */
  async call({ url, method, token, messageId, body }: OwnCall, timeoutMs = TIMEOUT_MS): Promise<OwnAnswer> {
    const { origin, pathname, search } = new URL(url);
    try {
      const response = await this.agent.request({
        origin,
        path: pathname + search,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'idempotency-key': messageId,
          ...(body !== null && { 'content-type': 'application/json' }),
        },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return await read(response);
    } catch (error) {
      return failureOf(error, timeoutMs);
    }
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

async function read({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<OwnAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return { failure: { code: 'answer', words: `answered with more than ${MOST_BYTES / 1_048_576} MiB` } };
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

function failureOf(error: unknown, timeoutMs: number): OwnAnswer {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (name === 'TimeoutError') return { failure: { code: 'timeout', words: `did not answer within ${timeoutMs / 1_000} s` } };
  return { failure: { code: 'connection', words: `could not be asked (${typeof code === 'string' ? code : 'the connection broke'})` } };
}
