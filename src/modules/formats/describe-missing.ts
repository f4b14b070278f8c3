import { CLI_PREFIX } from './command/programs-of.js';

/** Programs whose name is not that of what has to be installed. */
const PARTS_OF: ReadonlyMap<string, string> = new Map([
  ['convert', 'ImageMagick'],
  ['soffice', 'LibreOffice'],
  ['pdftoppm', 'Poppler'],
]);

/** Why nothing is made without these programs, and what the operator can do, as sentences for a person. `refused`: no machine may run any. */
export function describeMissing(programs: readonly string[], refused = false): string {
  if (refused && !programs.includes(CLI_PREFIX)) return refusal(programs);
  const tools = programs.filter((program) => program.startsWith(CLI_PREFIX)).map((program) => program.slice(CLI_PREFIX.length));
  const installed = programs.filter((program) => !program.startsWith(CLI_PREFIX)).map(withPackage);
  return [
    ...(installed.length > 0
      ? [`No worker has ${list(installed)}; the operator can install what is missing (npm run install:tools).`]
      : []),
    ...tools.map((tool) =>
      tool === ''
        ? 'It names no tool of the operator (settings.parameters.tool).'
        : `No worker offers the tool ${JSON.stringify(tool)}; the operator can list it in cli-tools.json.`,
    ),
  ].join(' ');
}

const refusal = (programs: readonly string[]): string =>
  `No worker may run ${list(programs.map(nameOf))}: its machine cannot isolate programs; the operator finds the reason in /health/ready and what to do in docs/converter.md.`;

const nameOf = (program: string): string =>
  program.startsWith(CLI_PREFIX) ? `the tool ${JSON.stringify(program.slice(CLI_PREFIX.length))}` : withPackage(program);

const withPackage = (program: string): string => (PARTS_OF.has(program) ? `${program} (${PARTS_OF.get(program)})` : program);

const list = (names: readonly string[]): string => [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
