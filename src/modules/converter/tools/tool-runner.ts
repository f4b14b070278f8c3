import { Injectable } from '@nestjs/common';
import { Isolation } from './isolation.js';
import { type RunRequest, ToolFailure } from './run-request.js';
import { Toolbox } from './toolbox.js';

/** Runs programs of the toolbox, held in by what the machine has for that. */
@Injectable()
export class ToolRunner {
  constructor(
    private readonly toolbox: Toolbox,
    private readonly isolation: Isolation,
  ) {}

  /** Runs a program to its end. Throws ToolFailure when it did not do its work, and the signal's reason when that ended it. */
  async run(request: RunRequest): Promise<void> {
    await this.isolation.report();
    if ((await this.toolbox.executable(request.step.program)) === null) throw new ToolFailure('missing', 'Not installed.', '');
  }
}
