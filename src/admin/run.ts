import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { loadConfig } from '../shared/config/index.js';
import { DomainError, StartupError } from '../shared/errors.js';
import { helpFor, parseCommandLine } from './parse-command-line.js';

/** Runs one command line and prints what it answers. The service's modules are loaded only when there is work for them. */
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

/** Writes one JSON document to stdout, or, for what comes one by one, a JSON object a line. */
async function print(result: unknown): Promise<void> {
  try {
    await pipeline(Readable.from(linesOf(result)), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    process.exitCode = 1; // the reader went away, as in `admin audit | head`
  }
}

async function* linesOf(result: unknown): AsyncGenerator<string> {
  if (!isAsyncIterable(result)) yield `${JSON.stringify(result, null, 2)}\n`;
  else for await (const line of result) yield `${JSON.stringify(line)}\n`;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** What reportFailure() shall print: a refused rule as its sentence; anything unexpected without the values of its SQL statement. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof DomainError) return new StartupError(error.detail);
  if (error instanceof StartupError || !(error instanceof Error)) return error;
  // TypeORM's errors carry the parameters, among them hashes and sealed keys, which console.error would show.
  return error.stack ?? error.message;
}
