import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { type CliTool, cliProgram, type ProgramName, type Step } from '../../formats/index.js';
import { WorkFolders } from '../execution/work-folders.js';
import type { ToolReport } from './converter-worker.entity.js';
import { type FoundProgram, findProgram } from './find-program.js';
import { Isolation } from './isolation.js';
import { KNOWN_PROGRAMS, type KnownProgram } from './known-programs.js';
import { OPERATOR_TOOLS_FILE, type OperatorTools, readOperatorTools } from './operator-tools.js';
import { searchPath } from './search-path.js';

interface Contents {
  readonly known: ReadonlyMap<ProgramName, FoundProgram>;
  readonly operators: OperatorTools;
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

  /** The folders that a step's program has no business in. What the operator added may need, and lie, anywhere. */
  async hiddenFrom(program: Step['program']): Promise<readonly string[]> {
    if (typeof program !== 'string') return [];
    const file = await this.executable(program);
    const places = file === null ? [] : [file, await realpath(file)];
    const folders = [path.resolve(this.config.dataDir), tmpdir()];
    return folders.filter((folder) => !places.some((place) => place.startsWith(`${folder}${path.sep}`)));
  }

  /** By program: its version, or why it cannot be used. What is wrong with the list of the operator's tools stands under its name. */
  async report(): Promise<Readonly<Record<string, ToolReport>>> {
    const { known, operators } = await this.open();
    const ours = [...known].map(([name, { report }]) => [name, report] as const);
    const { problems } = operators;
    return Object.fromEntries([...ours, ...(problems.length > 0 ? [[OPERATOR_TOOLS_FILE, { problem: problems.join(' ') }] as const] : [])]);
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
    const places = { folders: searchPath(), workFolders: this.workFolders };
    const searches = Object.entries(KNOWN_PROGRAMS).map(
      async ([name, program]) => [name as ProgramName, await this.find(program, places)] as const,
    );
    const known = new Map(await Promise.all(searches));
    return { known, operators: await readOperatorTools(path.resolve(this.config.dataDir)) };
  }

  private async find(program: KnownProgram, places: Parameters<typeof findProgram>[1]): Promise<FoundProgram> {
    const found = await findProgram(program, places);
    if (found.file === null || !program.needsHiding || (await this.isolation.report()).files) return found;
    const reason = 'this machine has no way to hide the files of others from it: allow user namespaces (docs/converter.md)';
    return { file: null, report: { problem: `${program.title} is installed, but ${reason}.` } };
  }
}
