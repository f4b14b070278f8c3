// The program `local-storage`: serves a folder until Ctrl-C (README.md). The service starts its storage by startLocalStorage instead.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { LocalStorageError } from './local-storage-error.js';
import { type LocalStorageOptions, startLocalStorage } from './start-local-storage.js';

const USAGE = `Usage: local-storage --data-directory FOLDER [--port PORT] [--host HOST]

Serves S3 and STS for development and tests, with the files in FOLDER, until Ctrl-C.

  --data-directory FOLDER  created if missing
  --port PORT              default: 9000; 0: any free port
  --host HOST              the address to listen on, default: 127.0.0.1; 0.0.0.0: all addresses of this machine`;

/** An argument is missing or wrong. */
class UsageError extends Error {}

const options = {
  'data-directory': { type: 'string' },
  port: { type: 'string', default: '9000' },
  host: { type: 'string', default: '127.0.0.1' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readArguments(): LocalStorageOptions | 'help' {
  const { values } = parse();
  if (values.help) return 'help';
  const { 'data-directory': dataDirectory, host, port } = values;
  if (!dataDirectory) throw new UsageError('--data-directory is missing: name a folder for the files.');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError('--port must be a number from 0 to 65535.');
  return { dataDirectory, host, port: Number(port) };
}

function parse() {
  try {
    return parseArgs({ options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function serve(wanted: LocalStorageOptions): Promise<void> {
  const { endpoint, bucket, roleArn, close } = await startLocalStorage(wanted);
  const end = () => void close().finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
  console.log(`The local object storage listens on ${endpoint}. Ctrl-C stops it.

  bucket  ${bucket}
  role    ${roleArn}
  key     in ${path.resolve(wanted.dataDirectory, 'secrets.json')}`);
}

/** One line for the person at the terminal. Throws an error that only a developer can explain. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof LocalStorageError) return error.message;
  if (error instanceof Error && 'syscall' in error) return `The folder cannot be used: ${error.message}. Choose another one.`;
  throw error;
}

try {
  const wanted = readArguments();
  if (wanted === 'help') console.log(USAGE);
  else await serve(wanted);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
