import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BlockedPasswordsRepository } from './blocked-passwords.repository.js';

/** Entries per statement: about a megabyte. */
const BATCH = 50_000;
/** In UTF-16 units: 128 characters of two units each. The policy accepts no longer passwords. */
const MAX_LINE = 256;

/** The result of an import. */
export interface BlocklistImport {
  readonly lines: number;
  readonly added: number;
}

/** The passwords that the operator does not allow, whatever their case. */
@Injectable()
export class BlockedPasswordsService {
  constructor(private readonly blocked: BlockedPasswordsRepository) {}

  /** Whether the whole password is on the list; one indexed look-up. */
  async includes(password: string): Promise<boolean> {
    return await this.blocked.exists(fingerprintOf(password));
  }

  /** Adds a password a line (UTF-8). Memory stays bounded, however many lines there are and however long they are. With `replace`, the list is emptied first. */
  async import(chunks: AsyncIterable<Uint8Array>, { replace = false }: { readonly replace?: boolean } = {}): Promise<BlocklistImport> {
    if (replace) await this.blocked.clear();
    let [lines, added] = [0, 0];
    let batch: string[] = [];
    for await (const line of linesOf(chunks)) {
      lines += 1;
      batch.push(fingerprintOf(line));
      if (batch.length < BATCH) continue;
      added += await this.blocked.insert(batch);
      batch = [];
    }
    if (batch.length > 0) added += await this.blocked.insert(batch);
    return { lines, added };
  }
}

/** The fingerprint as the decimal digits of a signed 64-bit integer. */
function fingerprintOf(password: string): string {
  return createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().readBigInt64BE().toString();
}

/** The lines that may be passwords, without their line ends. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    // Only as much of a line without an end is kept as shows that it is too long.
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 2);
    for (const line of lines) if (mayBePassword(line)) yield withoutReturn(line);
  }
  if (mayBePassword(rest)) yield withoutReturn(rest);
}

const withoutReturn = (line: string): string => line.replace(/\r$/, '');
const mayBePassword = (line: string): boolean => line !== '' && line !== '\r' && line.length <= MAX_LINE + 1;
