import { createReadStream } from 'node:fs';
import path from 'node:path';
import { parseDocument as parseYaml, type YAMLError } from 'yaml';
import { Database } from '../../shared/database/index.js';
import { StartupError } from '../../shared/errors.js';
import { type Call, readText, type Work } from '../command.js';
import { Trail } from '../trail.js';
import { keyOf, type ReadSections, readSections, sections } from './read-sections.js';
import { type ApplyContext, type Draft, isMapping, type Problem } from './section.js';

/** `admin apply FILE`: applies a provisioning file in one transaction; applying it again changes nothing. `-` reads stdin. */
export async function apply(call: Call): Promise<Work> {
  const source = call.argument === '-' ? 'stdin' : path.resolve(call.argument);
  const stream = source === 'stdin' ? call.stdin : createReadStream(source);
  const document = parseDocument(await readText(stream, source), source);
  return async (service) => await provision({ document, source }, { service, trail: new Trail(service, call), warn: call.inform });
}

/** The text of a provisioning file and the name of its source. */
interface ProvisioningFile {
  readonly document: Readonly<Record<string, unknown>>;
  readonly source: string;
}

/** Serializes concurrent calls, because each call compares the file with what is stored. */
const LOCK = 'provisioning';

/**
 * Applies the file in one transaction, and returns what was declared, section by section.
 * @throws StartupError with every problem of the file; in that case nothing is written
 */
export async function provision(
  file: ProvisioningFile,
  given: Omit<ApplyContext, 'declares' | 'checkAtEnd'>,
): Promise<Record<string, object[]>> {
  const read = readSections(file.document);
  const checks: (() => Promise<void>)[] = [];
  const declares = (section: string, key: string) => isDeclared(read, section, key);
  const context = { ...given, declares, checkAtEnd: (check: () => Promise<void>) => void checks.push(check) };
  const database = given.service.get(Database);
  return await database.transaction(async () => {
    await database.lock(LOCK);
    const problems = [...read.problems, ...(await findProblems(read, context))];
    if (problems.length > 0) throw refusal(file.source, problems);
    const made = await declareAll(read, context);
    for (const check of checks) await check();
    return made;
  });
}

const isDeclared = ({ drafts }: ReadSections, section: string, key: string): boolean =>
  drafts[section]?.some((draft) => keyOf(section, draft)?.value === sections[section]?.normalize(key)) ?? false;

async function findProblems({ drafts }: ReadSections, context: ApplyContext): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [name, section] of Object.entries(sections)) {
    for (const draft of drafts[name] ?? []) problems.push(...(await section.findProblems(draft, context)));
  }
  return problems;
}

async function declareAll({ drafts }: ReadSections, context: ApplyContext): Promise<Record<string, object[]>> {
  const made: Record<string, object[]> = {};
  for (const [name, section] of Object.entries(sections)) {
    const printed: object[] = [];
    for (const draft of drafts[name] ?? []) printed.push(await section.declare(complete(draft), context));
    made[name] = printed;
  }
  return made;
}

/** A draft without problems has every required field. */
const complete = ({ fields }: Draft<object>): object => fields;

function refusal(source: string, problems: readonly Problem[]): StartupError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const lines = problems.map(({ path, message }) => `  - ${path}: ${message}`);
  return new StartupError([`${source} has ${count}; nothing was changed:`, ...lines].join('\n'));
}

/**
 * Parses a provisioning file. Accepts YAML and JSON (a subset of YAML 1.2); a repeated key is an error in both.
 * @throws StartupError with line and column of every syntax error
 */
export function parseDocument(text: string, source: string): Readonly<Record<string, unknown>> {
  const document = parseYaml(text, { stringKeys: true, prettyErrors: true });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) throw syntaxRefusal(source, problems);
  const content = toPlain(document, source);
  if (content === null) throw new StartupError(`${source} is empty.`);
  if (!isMapping(content)) throw new StartupError(`${source} must contain sections (customers, users, clients), not ${describe(content)}.`);
  return content;
}

/** Converting to plain values is what detects too many aliases (a "billion laughs" file). */
function toPlain(document: ReturnType<typeof parseYaml>, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new StartupError(`${source} cannot be read: ${(error as Error).message}.`);
  }
}

/** Uses only the first line of each message, because the other lines quote the file, which may contain passwords. */
function syntaxRefusal(source: string, problems: readonly YAMLError[]): StartupError {
  const lines = problems.map(({ message }) => `  - ${(message.split('\n')[0] ?? '').replace(/:$/, '')}`);
  return new StartupError([`${source} is neither JSON nor YAML:`, ...lines].join('\n'));
}

const describe = (content: unknown): string => (Array.isArray(content) ? 'a list' : `a single ${typeof content}`);
