import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isExecutable } from './find-program.js';

export const OPERATOR_TOOLS_FILE = 'cli-tools.json';

/** A program that the operator offers to formats. */
export interface OperatorTool {
  readonly name: string;
  readonly file: string;
  /** The arguments, with `{input}` and `{output}` in place of the file names. */
  readonly argv: readonly string[];
}

/** The tools of the operator; none if the file has a problem. */
export interface OperatorTools {
  readonly tools: readonly OperatorTool[];
  /** Problems of the file, as sentences. */
  readonly problems: readonly string[];
}

/** Reads `cli-tools.json`, such as `[{ "name": "uppercase", "command": ["/usr/bin/tr", "a-z", "A-Z"] }]`; the file is optional. */
export async function readOperatorTools(folder: string): Promise<OperatorTools> {
  const text = await readFile(path.join(folder, OPERATOR_TOOLS_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') return text.code === 'ENOENT' ? { tools: [], problems: [] } : broken([`cannot be read (${text.code})`]);
  const entries = parse(text);
  if (!Array.isArray(entries)) return broken(['must be a JSON array of objects { "name", "command" }']);
  const read = await Promise.all(entries.map(async (entry: unknown, index) => await readTool(entry, `entry ${index + 1}`)));
  const tools = read.filter((tool) => typeof tool !== 'string');
  const names = tools.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) < index).map((name) => `has two tools called ${name}`);
  const problems = [...read.filter((tool) => typeof tool === 'string'), ...twice];
  return problems.length > 0 ? broken(problems) : { tools, problems };
}

const broken = (problems: readonly string[]): OperatorTools => ({
  tools: [],
  problems: problems.map((problem) => `${OPERATOR_TOOLS_FILE} ${problem}.`),
});

/** Returns the tool, or its problem. */
async function readTool(entry: unknown, place: string): Promise<OperatorTool | string> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return `needs an object as ${place}`;
  const { name, command, ...others } = entry as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `has the unknown member ${JSON.stringify(unknown)} (${place})`;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
    return `needs a name of lower-case letters, digits and hyphens, at most 32 characters (${place})`;
  }
  if (!Array.isArray(command) || !command.every((part) => typeof part === 'string' && !part.includes('\0'))) {
    return `needs an array of texts as the command of ${name}`;
  }
  const [file = '', ...argv] = command as string[];
  if (!path.isAbsolute(file)) return `needs the absolute path of a program as the first part of the command of ${name}`;
  if (!(await isExecutable(file))) return `names a program that does not exist or is not executable as the command of ${name}`;
  return { name, file, argv };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
