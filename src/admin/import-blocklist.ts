import { createReadStream } from 'node:fs';
import path from 'node:path';
import { BlockedPasswordsService } from '../modules/accounts/index.js';
import { StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/**
 * `admin passwords blocklist FILE`: adds passwords that people may not choose, one a line (UTF-8; - = stdin). With `--replace`, the file is the whole list.
 * Rows are stored while the file is read, so that millions need little memory; an interrupted import can be repeated.
 */
export async function importBlocklist(call: Call): Promise<Work> {
  const source = call.argument === '-' ? 'stdin' : path.resolve(call.argument);
  const stream = source === 'stdin' ? call.stdin : createReadStream(source);
  return async (service) => {
    try {
      const result = await service.get(BlockedPasswordsService).import(stream, { replace: call.options.replace });
      await new Trail(service, call).record('password_blocklist.import', 'password_blocklist:all', null);
      return result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw new StartupError(`Cannot read ${source}: ${(error as Error).message.split(', ')[0]}.`);
    }
  };
}
