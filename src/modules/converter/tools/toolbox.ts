import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import type { CliTool, Step } from '../../formats/index.js';
import type { ToolReport } from './converter-worker.entity.js';

/** The programs that this machine has, as this process found them when it first asked. */
@Injectable()
export class Toolbox {
  constructor(private readonly config: Config) {}

  /** The names of programs that are there, `cli:<name>` for the operator's own: what a job's `programs` are compared with. */
  async programs(): Promise<readonly string[]> {
    return [];
  }

  /** The operator's tools, as buildInvocation wants them. */
  async cliTools(): Promise<readonly CliTool[]> {
    return [];
  }

  /** The absolute file of a step's program, null when it is not there. */
  async executable(_program: Step['program']): Promise<string | null> {
    return null;
  }

  /** By program: its version, or why it cannot be used. */
  async report(): Promise<Readonly<Record<string, ToolReport>>> {
    return {};
  }
}
