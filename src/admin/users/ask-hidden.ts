import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { StartupError } from '../../shared/errors/index.js';

/**
 * Asks at a terminal, on stderr, without showing what is typed.
 * @throws StartupError when the person gives up (Ctrl-C, Ctrl-D)
 */
export async function askHidden(terminal: Readable, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: terminal, output: nowhere, terminal: true });
  const givenUp = new AbortController();
  for (const event of ['SIGINT', 'close'] as const) prompt.once(event, () => givenUp.abort());
  process.stderr.write(question);
  try {
    return await prompt.question('', { signal: givenUp.signal });
  } catch {
    throw new StartupError('Nothing was changed.');
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
