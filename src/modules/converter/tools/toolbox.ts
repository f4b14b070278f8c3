import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { type CliTool, cliProgram, type ProgramName, type Step } from '../../formats/index.js';
import { WorkFolders } from '../execution/work-folders.js';
import type { ToolReport } from './converter-worker.entity.js';
import { type FoundProgram, findProgram, refuseProgram } from './find-program.js';
import { Isolation } from './isolation.js';
import { KNOWN_PROGRAMS, type KnownProgram } from './known-programs.js';
import { OPERATOR_TOOLS_FILE, type OperatorTools, readOperatorTools } from './operator-tools.js';
import { searchPath } from './search-path.js';

interface Contents {
  readonly known: ReadonlyMap<ProgramName, FoundProgram>;
  readonly operators: OperatorTools;
  /** Why programs of this machine are not run, as a sentence for the operator; null: they are, or there are none. */
  readonly refusal: string | null;
}

/** The programs that this machine has, as this process found them when it first asked; after an installation it has to be restarted. */
@Injectable()
export class Toolbox {
  private found: Promise<Contents> | null = null;

  constructor(
    private readonly config: Config,
    private readonly workFolders: WorkFolders,
    private readonly isolation: Isolation,
  ) {}

  /** The names of programs that are there, `cli:<name>` for the operator's own: what a job's `programs` are compared with. */
  async programs(): Promise<readonly string[]> {
    const { known, operators } = await this.open();
    const ours = [...known].filter(([, { file }]) => file !== null).map(([name]) => name);
    return [...ours, ...operators.tools.map(({ name }) => cliProgram(name))];
  }

  /** The operator's tools, as buildInvocation wants them. */
  async cliTools(): Promise<readonly CliTool[]> {
    return (await this.open()).operators.tools.map(({ name, argv }) => ({ name, argv }));
  }

  /** The absolute file of a step's program; null: it is not there. */
  async executable(program: Step['program']): Promise<string | null> {
    const { known, operators } = await this.open();
    if (typeof program === 'string') return known.get(program)?.file ?? null;
    return operators.tools.find(({ name }) => name === program.tool)?.file ?? null;
  }

  /** By program: its version, or why it cannot be used. What is wrong with the list of the operator's tools stands under its name. */
  async report(): Promise<Readonly<Record<string, ToolReport>>> {
    const { known, operators } = await this.open();
    const ours = [...known].map(([name, { report }]) => [name, report] as const);
    const { problems } = operators;
    return Object.fromEntries([...ours, ...(problems.length > 0 ? [[OPERATOR_TOOLS_FILE, { problem: problems.join(' ') }] as const] : [])]);
  }

  /** Why programs of this machine are not run, as a sentence for the operator; null: they are, or there are none. */
  async refusal(): Promise<string | null> {
    return (await this.open()).refusal;
  }

  private async open(): Promise<Contents> {
    this.found ??= this.look();
    try {
      return await this.found;
    } catch (error) {
      this.found = null; // a disk that was full for a moment
      throw error;
    }
  }

  private async look(): Promise<Contents> {
    const refusal = await this.isolation.refusal();
    const entries = Object.entries(KNOWN_PROGRAMS) as [ProgramName, KnownProgram][];
    const searches = entries.map(async ([name, program]) => [name, await this.find(program, refusal)] as const);
    const known = new Map(await Promise.all(searches));
    const operators = await readOperatorTools(path.resolve(this.config.dataDir));
    if (refusal === null) return { known, operators, refusal };
    const isRefused = operators.tools.length > 0 || [...known.values()].some((program) => program.refused);
    const problems = operators.tools.length > 0 ? [`The tools of ${OPERATOR_TOOLS_FILE} are not run. ${refusal}`] : operators.problems;
    return { known, operators: { tools: [], problems }, refusal: isRefused ? refusal : null };
  }

  private async find(program: KnownProgram, refusal: string | null): Promise<FoundProgram> {
    const folders = searchPath();
    if (refusal !== null) return await refuseProgram(program, { folders, refusal });
    const { workFolders, isolation } = this;
    return await findProgram(program, { folders, workFolders, isolation });
  }
}
