import type { Dispatcher } from 'undici';
import { EgressFailure } from './egress-failure.js';
import { failureOf } from './failure-of.js';

/** Nobody reads what a receiver answers; a long answer is cut off, which ends its connection. */
const MAX_ANSWER_BYTES = 65_536;

/** How a request ended. */
export interface EgressResult {
  /** 0: no answer began. */
  readonly statusCode: number;
  /** Null: it was answered with 2xx. */
  readonly failure: EgressFailure | null;
  /** The header of the answer as it came. */
  readonly retryAfter: string | null;
}

/** One request while it is under way: from the wish for a connection to the end of the answer, in `timeoutMs` all together. */
export class EgressExchange implements Dispatcher.DispatchHandler {
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

  /** The connection stands and the request is about to be written: too late for one that was given up while it waited. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: NodeJS.Dict<string | string[]>): void {
    if (statusCode < 200) return; // the answer is still to come (RFC 9110 section 15.2)
    this.statusCode = statusCode;
    this.retryAfter = headers['retry-after']?.toString() ?? null;
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.received += part.length;
    if (this.received <= MAX_ANSWER_BYTES) return;
    this.end(this.failureOfStatus());
    controller.abort(new Error('answer too long'));
  }

  onResponseEnd(): void {
    this.end(this.failureOfStatus());
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.end(failureOf(error, this.host));
  }

  private timeOut(): void {
    const what = this.statusCode === 0 ? 'did not answer' : 'did not end its answer';
    this.end(new EgressFailure('timeout', `${this.host} ${what} within ${this.timeoutMs / 1_000} s`));
    this.controller?.abort(new Error('given up'));
  }

  private end(failure: EgressFailure | null): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.settle({ statusCode: this.statusCode, failure, retryAfter: this.retryAfter });
  }

  private failureOfStatus(): EgressFailure | null {
    const { host, statusCode } = this;
    if (statusCode < 300) return null;
    if (statusCode < 400) return new EgressFailure('redirect', `${host} answered ${statusCode}; redirects are not followed`);
    if (statusCode < 600) return new EgressFailure(statusCode < 500 ? 'http-4xx' : 'http-5xx', `${host} answered ${statusCode}`);
    return new EgressFailure('invalid answer', `${host} answered ${statusCode}`);
  }
}
