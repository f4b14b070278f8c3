import type { FormatSettings, Parameters } from '../../format-settings.js';
import type { Invocation } from '../invocation.js';
import { SOURCE } from '../job-names.js';
import { Refusal } from '../refusal.js';

/** A program that the operator offers: its arguments are the operator's, `{input}` and `{output}` among them stand for the files. */
export interface CliTool {
  readonly name: string;
  readonly argv: readonly string[];
}

/** A run of the tool that the parameter `tool` names. */
export function buildCli(command: Parameters, { filetype = '' }: FormatSettings, tools: readonly CliTool[]): Invocation {
  const tool = tools.find(({ name }) => name === command.tool);
  if (!tool) throw new Refusal(`The operator offers no tool ${JSON.stringify(command.tool ?? '')}.`);
  if (!/^[a-z0-9]{1,12}$/.test(filetype)) throw new Refusal('filetype must be letters and digits.');
  const output = `output.${filetype}`;
  const argv = tool.argv.map((argument) => (argument === '{input}' ? SOURCE : argument === '{output}' ? output : argument));
  const inputs = { source: SOURCE, watermark: null, audioWatermark: null };
  return { kind: 'run', inputs, files: [], steps: [{ program: { tool: tool.name }, argv, stdout: null }], output };
}
