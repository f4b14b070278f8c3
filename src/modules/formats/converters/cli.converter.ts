import type { FieldProblem } from '../../../shared/errors.js';
import type { FormatSettings } from '../format-settings.dto.js';
import { type BuildRequest, type ConverterDescriptor, type Invocation, matching, metadataPrograms, Refusal, SOURCE } from './converter.js';

/** Distinguishes the operator's programs from those of the service. */
export const CLI_PREFIX = 'cli:';
export const cliProgram = (tool: string): string => `${CLI_PREFIX}${tool}`;

const isToolName = matching(/[a-z][a-z0-9-]{0,31}/);

/** Runs the operator's own programs. A format names one of them; the operator's list contains its arguments. */
export const cliConverter = {
  name: 'cli',
  parameters: new Map([['tool', isToolName]]),
  filetypes: null,
  source: 'any',
  result: 'any',
  programs: (settings, { tool = '' }) => [cliProgram(String(tool)), ...metadataPrograms(settings)],
  isLong: () => true,
  build: buildCli,
  findConflicts,
} as const satisfies ConverterDescriptor;

function buildCli({ command, settings: { filetype = '' }, tools }: BuildRequest): Invocation {
  const tool = tools.find(({ name }) => name === command.tool);
  if (!tool) throw new Refusal(`The operator offers no tool ${JSON.stringify(command.tool ?? '')}.`);
  if (!/^[a-z0-9]{1,12}$/.test(filetype)) throw new Refusal('filetype must be letters and digits.');
  const output = `output.${filetype}`;
  const argv = tool.argv.map((argument) => (argument === '{input}' ? SOURCE : argument === '{output}' ? output : argument));
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [{ program: { tool: tool.name }, argv, stdout: null }], output };
}

/** Checks that a format names a tool and the resulting file type; whether a worker has the tool may change, and is not checked. */
function findConflicts({ parameters, filetype }: FormatSettings): FieldProblem[] {
  const tool = parameters?.tool;
  const problem = (path: string, message: string): FieldProblem => ({ path, code: 'missing', message });
  return [
    ...(typeof tool === 'string' && isToolName(tool)
      ? []
      : [problem('settings.parameters.tool', 'must be the name of a tool of the operator: small letters, digits and dashes')]),
    ...(filetype ? [] : [problem('settings.filetype', 'must be the file type that the tool makes')]),
  ];
}
