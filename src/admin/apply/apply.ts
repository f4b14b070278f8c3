import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Call, Work } from '../command.js';
import { readText } from '../read-text.js';
import { Trail } from '../trail.js';
import { parseDocument } from './parse-document.js';
import { provision } from './provision.js';

/** `admin apply FILE`: makes what the file says, all or nothing; a second time it changes nothing. `-` is stdin. */
export async function apply(call: Call): Promise<Work> {
  const source = call.argument === '-' ? 'stdin' : path.resolve(call.argument);
  const stream = source === 'stdin' ? call.stdin : createReadStream(source);
  const document = parseDocument(await readText(stream, source), source);
  return async (service) => await provision({ document, source }, { service, trail: new Trail(service, call), warn: call.tell });
}
