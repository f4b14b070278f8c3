import { loadConfig } from '../shared/config/index.js';
import { parseCommandLine } from './parse-command-line.js';
import { print } from './print.js';
import { usage } from './usage.js';

/** Runs one command line and prints what it answers. The service's modules are loaded only when there is work for them. */
export async function run(argv: readonly string[]): Promise<void> {
  const line = parseCommandLine(argv);
  if (!line) return console.log(usage);
  const config = loadConfig();
  const command = await line.command.load();
  const fail = (reason: string) => {
    console.error(reason);
    process.exitCode = 1;
  };
  const work = await command({ ...line, config, stdin: process.stdin, tell: console.error, fail });
  const { withService } = await import('./with-service.js');
  await withService(config, async (service) => await print(await work(service)), line.command);
}
