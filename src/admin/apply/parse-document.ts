import { parseDocument as parseYaml, type YAMLError } from 'yaml';
import { StartupError } from '../../shared/errors/index.js';
import { isMapping } from './field-rules.js';

/**
 * A provisioning file's content. YAML and JSON alike, because JSON is a part of YAML 1.2; a repeated key is an error in both.
 * @throws StartupError with line and column of every syntax error
 */
export function parseDocument(text: string, source: string): Readonly<Record<string, unknown>> {
  const document = parseYaml(text, { stringKeys: true, prettyErrors: true });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) throw refusal(source, problems);
  const content = toPlain(document, source);
  if (content === null) throw new StartupError(`${source} is empty.`);
  if (!isMapping(content)) throw new StartupError(`${source} must hold sections (customers, users, clients), not ${describe(content)}.`);
  return content;
}

/** Too many aliases (a "billion laughs" file) are found only now. */
function toPlain(document: ReturnType<typeof parseYaml>, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new StartupError(`${source} cannot be read: ${(error as Error).message}.`);
  }
}

/** The first line of each message: the others quote the file, which may hold passwords. */
function refusal(source: string, problems: readonly YAMLError[]): StartupError {
  const lines = problems.map(({ message }) => `  - ${(message.split('\n')[0] ?? '').replace(/:$/, '')}`);
  return new StartupError([`${source} is neither JSON nor YAML:`, ...lines].join('\n'));
}

const describe = (content: unknown): string => (Array.isArray(content) ? 'a list' : `a single ${typeof content}`);
