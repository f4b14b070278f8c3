import { Readable } from 'node:stream';
import { parseCommandLine } from '../../../src/admin/parse-command-line.js';
import type { TestApp } from './test-app.js';

/** Runs an administration command on the modules of a running application, and answers what the program would print (lines as a list). */
export async function admin<Printed = unknown>({ app, config }: TestApp, argv: readonly string[], input = ''): Promise<Printed> {
  return (await adminProgram<Printed>({ app, config }, argv, input)).printed;
}

/** The same with the reasons for which the program would end with exit code 1. */
export async function adminProgram<Printed = unknown>(
  { app, config }: Pick<TestApp, 'app' | 'config'>,
  argv: readonly string[],
  input = '',
): Promise<{ printed: Printed; failures: readonly string[] }> {
  const line = parseCommandLine(argv);
  if (!line) throw new Error('This asks for help.');
  const command = await line.command.load();
  const failures: string[] = [];
  const fail = (reason: string) => void failures.push(reason);
  const work = await command({ ...line, config, stdin: Readable.from([Buffer.from(input)]), inform: () => undefined, fail });
  return { printed: JSON.parse(JSON.stringify(await collect(await work(app)))) as Printed, failures };
}

async function collect(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  const lines: unknown[] = [];
  for await (const line of result as AsyncIterable<unknown>) lines.push(line);
  return lines;
}

/** What `admin apply` prints. */
export interface Provisioned {
  readonly customers: readonly { id: number; name: string }[];
  readonly users: readonly { id: number; email: string }[];
  readonly clients: readonly { id: number; clientId: string; clientSecret?: string }[];
  readonly accessKeys: { id: number; accessKey: string; accessSecret?: string }[];
  readonly identityProviders: readonly { id: number; ssoIdentifier: string }[];
  readonly dropsites: readonly { id: number; link: string; clientId: string; name: string }[];
}

/** `admin apply -` with this document. */
export const applyDocument = async (app: TestApp, document: object, ...options: string[]): Promise<Provisioned> =>
  await admin<Provisioned>(app, ['apply', '-', ...options], JSON.stringify(document));

/** The audit trail as `action subject` lines, the oldest first. */
export async function auditTrail(app: TestApp): Promise<string[]> {
  const records = await admin<{ action: string; subject: string }[]>(app, ['audit']);
  return records.map(({ action, subject }) => `${action} ${subject}`);
}
