import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { FairLimit } from '../fairness/index.js';

/** Options of Node.js with which every thread starts. The tests add the one that loads TypeScript, because their threads run from src. */
export const threadOptions: string[] = [];

/** What a computation in a thread may use. */
export interface ThreadLimits {
  /** Wall-clock time for one input, without the start of the thread. */
  readonly maxMs: number;
  /** Heap, in MiB; buffers are not part of it. */
  readonly maxHeapMb: number;
}

/** Inputs that wait; most take some milliseconds. */
const MAX_WAITING = 200;

/** A thread loads its modules within seconds; on a machine with far more work than processors within a minute. */
const MAX_START_MS = 60_000;

/** A computation took more time or memory than its thread may use. */
export class ThreadLimitExceeded extends Error {
  override readonly name = 'ThreadLimitExceeded';
}

/**
 * Runs a computation in a thread of its own, one input at a time, so that a long one does not block the event loop. Customers take turns. The thread
 * starts with the first call. It is replaced after an input that exceeds the limits or makes the computation throw.
 */
export class LimitedThread<Input, Output> {
  private thread: Worker | null = null;
  private readonly turns = new FairLimit({ slots: 1, maxWaiting: MAX_WAITING });

  /** `program`: the URL of a module that calls `runInThread`. */
  constructor(
    private readonly program: URL,
    private readonly limits: ThreadLimits,
  ) {}

  /** Throws ThreadLimitExceeded, what the computation throws, and 503 `service_unavailable` if too many inputs wait. */
  async run(input: Input, customerId: number): Promise<Output> {
    return await this.turns.run(String(customerId), async () => await this.runNow(input));
  }

  /** Ends the thread. A later call starts another one. */
  async end(): Promise<void> {
    const { thread } = this;
    this.thread = null;
    await thread?.terminate();
  }

  private async runNow(input: Input): Promise<Output> {
    try {
      this.thread ??= await this.start();
      this.thread.postMessage(input);
      const [output] = (await once(this.thread, 'message', { signal: AbortSignal.timeout(this.limits.maxMs) })) as [Output];
      return output;
    } catch (error) {
      await this.end();
      const { name, code } = error as NodeJS.ErrnoException;
      if (name === 'AbortError') throw new ThreadLimitExceeded('The computation takes too long.');
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw new ThreadLimitExceeded('The computation takes too much memory.');
      throw error;
    }
  }

  /** Starts a thread and waits until it has loaded its modules, which does not count as time of an input. */
  private async start(): Promise<Worker> {
    const resourceLimits = { maxOldGenerationSizeMb: this.limits.maxHeapMb };
    const thread = new Worker(this.program, { resourceLimits, execArgv: threadOptions, env: {} });
    thread.unref();
    thread.on('error', () => {}); // `once` rejects with the error
    try {
      await once(thread, 'message', { signal: AbortSignal.timeout(MAX_START_MS) });
      return thread;
    } catch (error) {
      await thread.terminate();
      throw error;
    }
  }
}

/** Makes the module that calls it the program of a thread: it answers each input with the output of `compute`. */
export function runInThread<Input, Output>(compute: (input: Input) => Output | Promise<Output>): void {
  const answer = async (input: Input) => parentPort?.postMessage(await compute(input));
  parentPort?.on('message', (input: Input) => void answer(input)); // a rejection ends the thread, which `run` reports
  parentPort?.postMessage(null); // ready
}
