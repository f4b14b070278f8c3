import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { SharedWork } from '../../../shared/shared-work.js';
import { type CliTool, cliProgram, type ProgramName, type Step } from '../../formats/index.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import type { ToolReport } from './converter-worker.entity.js';
import { type Command, type FoundProgram, findProgram, refuseProgram } from './find-program.js';
import { IsolationService } from './isolation.service.js';
import { OPERATOR_TOOLS_FILE, type OperatorTools, readOperatorTools } from './operator-tools.js';
import { KNOWN_PROGRAMS, type KnownProgram } from './programs.js';
import { findSharp } from './sharp-program.js';
import { searchPath } from './tool-environment.js';

interface Contents {
  readonly known: ReadonlyMap<ProgramName, FoundProgram>;
  readonly operators: OperatorTools;
  /** Why installed programs are not run, as a sentence for the operator; null: they are run, or none is installed. */
  readonly refusal: string | null;
}

/** The programs of this machine. The search runs once, so the process must be restarted after an installation. */
@Injectable()
export class ToolboxService {
  private readonly found = new SharedWork<Contents>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(
    private readonly config: Config,
    private readonly workFolders: WorkFoldersService,
    private readonly isolation: IsolationService,
  ) {}

  /** The names of installed programs, `cli:<name>` for the operator's own; `programs` of a transcoding are compared with them. */
  async programs(): Promise<readonly string[]> {
    const { known, operators } = await this.contents();
    const ours = [...known].filter(([, { file }]) => file !== null).map(([name]) => name);
    return [...ours, ...operators.tools.map(({ name }) => cliProgram(name))];
  }

  /** The operator's tools, as buildInvocation needs them. */
  async cliTools(): Promise<readonly CliTool[]> {
    return (await this.contents()).operators.tools.map(({ name, argv }) => ({ name, argv }));
  }

  /** The command for a step's program, with absolute paths; null: the program is not installed. */
  async executable(program: Step['program']): Promise<Command | null> {
    const { known, operators } = await this.contents();
    const found = typeof program === 'string' ? known.get(program) : operators.tools.find(({ name }) => name === program.tool);
    return found?.file ? { ...found, file: found.file } : null;
  }

  /** The version of each program, or why it cannot be used. Problems of the list of the operator's tools are reported under the name of its file. */
  async report(): Promise<Readonly<Record<string, ToolReport>>> {
    const { known, operators } = await this.contents();
    const ours = [...known].map(([name, { report }]) => [name, report] as const);
    const { problems } = operators;
    return Object.fromEntries([...ours, ...(problems.length > 0 ? [[OPERATOR_TOOLS_FILE, { problem: problems.join(' ') }] as const] : [])]);
  }

  /** The known programs that are not installed on this machine. */
  async missing(): Promise<readonly ProgramName[]> {
    const { known } = await this.contents();
    return [...known].flatMap(([name, { file, refused }]) => (file === null && !refused ? [name] : []));
  }

  /** Why installed programs are not run, as a sentence for the operator; null: they are run, or none is installed. */
  async refusal(): Promise<string | null> {
    return (await this.contents()).refusal;
  }

  private async contents(): Promise<Contents> {
    return await this.found.get(async () => await this.search());
  }

  private async search(): Promise<Contents> {
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
    const { workFolders, isolation } = this;
    // sharp comes with the service, so it does not count as installed: a machine that only answers requests must not report a problem.
    if (program === KNOWN_PROGRAMS.sharp) {
      return refusal === null
        ? await findSharp(program, { workFolders, isolation })
        : { file: null, report: { problem: `sharp is not run. ${refusal}` } };
    }
    const folders = searchPath();
    if (refusal !== null) return await refuseProgram(program, { folders, refusal });
    return await findProgram(program, { folders, workFolders, isolation });
  }
}
