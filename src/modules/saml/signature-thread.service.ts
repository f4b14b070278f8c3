import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairLimit } from '../../shared/fairness/index.js';
import { SamlRefusal } from './saml.errors.js';
import type { VerificationOptions } from './service-provider.service.js';

const PROGRAM = new URL('./verify-signature.js', import.meta.url);
const MAX_MS = 5_000; // the largest legitimate response takes a tenth of it
const MAX_HEAP_MB = 128;
const MAX_WAITING = 200; // most responses take some milliseconds

/** A response with the data that node-saml needs to verify it. */
export interface SignatureCheck {
  readonly options: VerificationOptions;
  readonly xml: string;
  /** The request that is answered, and when it was created (ISO 8601). */
  readonly requestId: string;
  readonly requestedAt: string;
}

/** `signedXml`: the XML of the signed assertion. `problem`: why node-saml refuses the response. */
export interface CheckedSignature {
  readonly signedXml: string | null;
  readonly problem: string | null;
}

/**
 * Verifies signatures with node-saml in a separate thread, one response at a time. For the largest response, canonicalization and XPath take up
 * to a second before it is known to be genuine; on the event loop they would block all other requests for that time.
 */
@Injectable()
export class SignatureThreadService implements OnApplicationShutdown {
  private thread: Worker | null = null;
  private readonly turns = new FairLimit({ slots: 1, maxWaiting: MAX_WAITING });

  /**
   * Customers take turns.
   * @throws SamlRefusal `saml_response_too_large` when the response takes more than 5 seconds or 128 MiB; DomainError 503 `service_unavailable` when too many
   * wait
   */
  async check(response: SignatureCheck, customerId: number): Promise<CheckedSignature> {
    return await this.turns.run(String(customerId), async () => await this.checkNow(response));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  private async checkNow(response: SignatureCheck): Promise<CheckedSignature> {
    const thread = this.thread ?? this.start();
    try {
      thread.postMessage(response);
      const [checked] = (await once(thread, 'message', { signal: AbortSignal.timeout(MAX_MS) })) as [CheckedSignature];
      return checked;
    } catch (error) {
      await this.end();
      const { name, code } = error as NodeJS.ErrnoException;
      if (name !== 'AbortError' && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new SamlRefusal('saml_response_too_large', 'verifying the signature takes too long or too much memory');
    }
  }

  private start(): Worker {
    const thread = new Worker(PROGRAM, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, execArgv: [], env: {} });
    thread.unref();
    thread.on('error', () => {}); // `once` rejects with the error
    this.thread = thread;
    return thread;
  }

  private async end(): Promise<void> {
    const thread = this.thread;
    this.thread = null;
    await thread?.terminate();
  }
}
