import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartupError } from '../shared/errors.js';
import type { Options } from './command.js';
import { type CommandDescription, commands } from './commands.js';

/** A parsed command line with a known command and the argument and options that it accepts. */
interface CommandLine {
  readonly command: CommandDescription;
  readonly argument: string;
  readonly options: Options;
}

const TYPES: Readonly<Record<keyof Options, 'string' | 'boolean'>> = {
  reason: 'string',
  user: 'string',
  client: 'string',
  scope: 'string',
  generate: 'boolean',
  now: 'string',
  mend: 'boolean',
  'keep-old': 'string',
  yes: 'boolean',
  customer: 'string',
  kind: 'string',
  'transfer-to': 'string',
  to: 'string',
  'with-media': 'boolean',
  replace: 'boolean',
};

/**
 * Parses the arguments of the program. Returns null if they ask for help (see helpFor).
 * @throws StartupError with the mistake and the usage
 */
export function parseCommandLine(argv: readonly string[]): CommandLine | null {
  if (argv[0] === 'help' || argv.some((one) => one === '--help' || one === '-h')) return null;
  const name = [argv.slice(0, 2).join(' '), argv[0] ?? ''].find((candidate) => Object.hasOwn(commands, candidate));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) throw misuse(describeUnknown(argv));
  const { values, positionals } = parse(argv.slice(name.split(' ').length), command);
  return { command, argument: readArgument(name, command, positionals), options: values };
}

function parse(args: string[], { options }: CommandDescription): { values: Options; positionals: string[] } {
  const known: ParseArgsConfig['options'] = Object.fromEntries(options.map((name) => [name, { type: TYPES[name] }]));
  try {
    return parseArgs({ args, options: known, allowPositionals: true });
  } catch (error) {
    // The rest of the message explains how to pass an argument that begins with a dash, which no command needs.
    throw misuse(String((error as Error).message).split(/\. |\n/)[0] ?? '');
  }
}

/** Messages never repeat the argument, because a password given by mistake would end up in a log. */
function readArgument(name: string, { argument }: CommandDescription, positionals: readonly string[]): string {
  if (argument && !positionals[0]) throw misuse(`"${name}" needs ${argument}.`);
  if (positionals.length > (argument ? 1 : 0)) throw misuse(`"${name}" takes ${argument ?? 'no argument'}${argument ? ' only' : ''}.`);
  return positionals[0] ?? '';
}

function describeUnknown([first, second]: readonly string[]): string {
  if (first === undefined) return 'Name a command.';
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (group.length === 0) return `There is no command "${first}".`;
  return `${second === undefined ? `"${first}" is not complete` : `There is no command "${first} ${second}"`}: use ${group.join(' or ')}.`;
}

const misuse = (problem: string): StartupError => new StartupError(`${problem}\n\n${usage}`);

/** The output of `admin help`; a test limits it to 40 lines. */
export const usage = [
  'npm run -s admin -- COMMAND        prints JSON; messages and errors go to stderr',
  '',
  ...Object.values(commands).map(({ synopsis }) => `  ${synopsis}`),
  '',
  'help WORD describes the commands that begin with WORD, such as help users.',
  'Commands that change something take --reason TEXT for the audit trail; those',
  'with --yes change nothing without it and print what they would do.',
  'They use DATABASE_URL or, without it, the database in DATA_DIR, running or not.',
].join('\n');

/** The help text: the usage, or the commands of one group with descriptions. */
export function helpFor(argv: readonly string[]): string {
  const [word = ''] = argv.filter((one) => !one.startsWith('-') && one !== 'help');
  const group = Object.entries(commands).filter(([name]) => name.split(' ')[0] === word);
  return group.length === 0 ? usage : group.flatMap(([, { synopsis, summary }]) => [`  ${synopsis}`, `      ${summary}`]).join('\n');
}
