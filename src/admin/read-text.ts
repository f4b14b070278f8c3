import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StartupError } from '../shared/errors/index.js';

/**
 * All of a stream as text; `name` is what messages call it.
 * @throws StartupError when it cannot be read or is not UTF-8
 */
export async function readText(stream: Readable, name: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await buffer(stream));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new StartupError(`${name} is not UTF-8 text.`);
    throw new StartupError(`Cannot read ${name}: ${message.split(', ')[0]}.`);
  }
}
