import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A step in front of Nest, on Node's own request and response. It answers, or calls `next`; `next(error)` ends in a problem document. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Runs the steps in order; what no step answers reaches `last`. A step goes on once, and what it throws counts like `next(error)`. */
export function pipeline(steps: readonly Step[], onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void) {
  return (last: RequestListener): RequestListener =>
    (request, response) => {
      const run = (index: number): void => {
        const step = steps[index] ?? (() => last(request, response));
        let wentOn = false;
        const next = (error?: unknown): void => {
          if (wentOn) return;
          wentOn = true;
          if (error === undefined) run(index + 1);
          else onError(error, request, response);
        };
        try {
          step(request, response, next);
        } catch (error) {
          wentOn = true;
          onError(error, request, response);
        }
      };
      run(0);
    };
}
