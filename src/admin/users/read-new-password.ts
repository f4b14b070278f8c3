import type { Readable } from 'node:stream';
import { StartupError } from '../../shared/errors/index.js';
import { MAX_PASSWORD_LENGTH, PASSWORD } from '../password-rule.js';
import { readText } from '../read-text.js';
import { askHidden } from './ask-hidden.js';

/**
 * The first and only line of stdin; at a terminal it is asked for twice and not shown.
 * @throws StartupError when it cannot be a password
 */
export async function readNewPassword(stdin: Readable): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  const password = isTerminal ? await askTwice(stdin) : (await readText(stdin, 'the password')).replace(/\r?\n$/, '');
  if (password === '') throw new StartupError('The password is empty: give it on stdin, or use --generate.');
  if (!PASSWORD.test(password)) throw new StartupError('The password must be one line of text.');
  if (password.length > MAX_PASSWORD_LENGTH) throw new StartupError(`The password is longer than ${MAX_PASSWORD_LENGTH} characters.`);
  return password;
}

async function askTwice(terminal: Readable): Promise<string> {
  const password = await askHidden(terminal, 'New password: ');
  if ((await askHidden(terminal, 'Once more: ')) !== password) throw new StartupError('The two are different; nothing was changed.');
  return password;
}
