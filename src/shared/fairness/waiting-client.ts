import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ContextVariable } from '../context-variable.js';

/** The client of a request, which may disconnect before it has its response. */
class WaitingClient {
  private controller: AbortController | null = null;

  constructor(private readonly response: ServerResponse) {}

  /** Aborts when the client disconnects before the end of the response; most requests never wait and need none. */
  get disconnected(): AbortSignal {
    if (this.controller) return this.controller.signal;
    const controller = new AbortController();
    // Each waiting call of the request has a listener until its turn; a batch of a thousand files has dozens of them. By default Node.js warns at 11.
    setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
    this.controller = controller;
    const { response } = this;
    const leave = () => !response.writableFinished && controller.abort();
    if (response.closed) leave();
    else response.once('close', leave);
    return controller.signal;
  }
}

const clients = new ContextVariable<WaitingClient | null>();

/** Runs `work` for the client of a response: the calls of `work` leave the queue of a FairLimit when this client disconnects. */
export const forClient = <T>(response: ServerResponse, work: () => T): T => clients.run(new WaitingClient(response), work);

/** Runs `work` for several clients, or for none. */
export const forNoClient = <T>(work: () => T): T => clients.run(null, work);

/** Aborts when the client of the current request has disconnected without its response; undefined outside of requests. */
export const clientDisconnected = (): AbortSignal | undefined => clients.get()?.disconnected;
