import type { Log } from '../shared/logging/index.js';

interface Ending {
  readonly log: Log;
  /** The signals that ask for the end. */
  readonly signals: readonly NodeJS.Signals[];
  /** When the process ends although `stop` has not. */
  readonly withinSeconds: number;
  stop(): Promise<void>;
}

/** Ends this process in order, once: with code 0 at the first signal, with code 1 after an error that nobody caught. */
export function onEnd({ log, signals, withinSeconds, stop }: Ending): void {
  let ending = false;
  const end = async (code: number) => {
    if (ending) return; // npm repeats the Ctrl-C of the terminal, and what is being closed may fail further
    ending = true;
    setTimeout(() => {
      log.fatal(`did not stop within ${withinSeconds} s`);
      process.exit(1);
    }, withinSeconds * 1_000).unref();
    try {
      await stop();
      process.exit(code); // idle sockets and the channels to other processes would delay the end
    } catch (err) {
      log.fatal({ err }, 'did not stop in order');
      process.exit(1);
    }
  };
  for (const signal of signals) process.on(signal, () => void end(0));
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'an error that nobody caught; the process ends');
    void end(1);
  });
}
