import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A step in front of Nest, on Node's own request and response. It answers, or calls `next`; `next(error)` ends in a problem document. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Runs the steps in order; what no step answers reaches `last`. */
export function pipeline(steps: readonly Step[], onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void) {
  return (last: RequestListener): RequestListener =>
    (request, response) => {
      const run = (index: number): void => {
        const step = steps[index];
        if (!step) return void last(request, response);
        step(request, response, (error) => (error === undefined ? run(index + 1) : onError(error, request, response)));
      };
      run(0);
    };
}
