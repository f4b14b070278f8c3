import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { loadConfig } from '../shared/config/index.js';
import { DomainError, StartupError } from '../shared/errors.js';
import { helpFor, parseCommandLine } from './parse-command-line.js';

/** Runs one command line and prints its result. The service's modules are loaded only when the command needs them. */
export async function run(argv: readonly string[]): Promise<void> {
  const line = parseCommandLine(argv);
  if (!line) return console.log(helpFor(argv));
  const config = loadConfig();
  const command = await line.command.load();
  const fail = (reason: string) => {
    console.error(reason);
    process.exitCode = 1;
  };
  const work = await command({ ...line, config, stdin: process.stdin, inform: console.error, fail });
  const { withService } = await import('../process/create-context.js');
  await withService(config, async (service) => await print(await work(service)), line.command);
}

/** Writes one JSON document to stdout, or one JSON object per line for an iterable. */
async function print(result: unknown): Promise<void> {
  try {
    await pipeline(Readable.from(linesOf(result)), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    process.exitCode = 1; // the reader closed the pipe, as in `admin audit | head`
  }
}

async function* linesOf(result: unknown): AsyncGenerator<string> {
  if (!isAsyncIterable(result)) yield `${JSON.stringify(result, null, 2)}\n`;
  else for await (const line of result) yield `${JSON.stringify(line)}\n`;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Returns what reportFailure() prints: the sentence of a DomainError; unexpected errors without the parameters of their SQL statement. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof DomainError) return new StartupError(error.detail);
  if (error instanceof StartupError || !(error instanceof Error)) return error;
  // TypeORM's errors contain the parameters, including hashes and sealed keys, which console.error would print.
  return error.stack ?? error.message;
}
