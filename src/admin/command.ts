import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../shared/config/index.js';
import { StartupError } from '../shared/errors.js';

/** Every option of the command line; commands.ts says which command takes which. */
export interface Options {
  readonly reason?: string;
  readonly user?: string;
  readonly client?: string;
  readonly scope?: string;
  readonly generate?: boolean;
  readonly now?: string;
  readonly mend?: boolean;
  readonly 'keep-old'?: string;
  readonly yes?: boolean;
  readonly customer?: string;
  readonly kind?: string;
  readonly 'transfer-to'?: string;
  readonly to?: string;
  readonly 'with-media'?: boolean;
  readonly replace?: boolean;
}

/** How a command was called. */
export interface Call {
  /** FILE, EMAIL, CLIENT_ID, ACCESS_KEY or NAME; empty for commands that take none. */
  readonly argument: string;
  readonly options: Options;
  readonly config: Config;
  readonly stdin: Readable;
  /** Prints a line to stderr that is not part of the result. */
  inform(line: string): void;
  /** Like `inform`, but the command ends with exit code 1 after it has printed its result. */
  fail(line: string): void;
}

/** Runs a command with the service's modules. Returns the document to print, or an iterable of lines to print. */
export type Work = (service: INestApplicationContext) => Promise<unknown>;

/**
 * A command first reads and checks everything that needs no database, so that a mistake is reported before anything is started.
 * @throws StartupError with what the operator can do
 */
export type Command = (call: Call) => Promise<Work>;

/**
 * Reads a whole stream as text; messages call it `name`.
 * @throws StartupError if it cannot be read or is not UTF-8
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
