import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes one JSON document to stdout, or, for what comes one by one, a JSON object a line. */
export async function print(result: unknown): Promise<void> {
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
