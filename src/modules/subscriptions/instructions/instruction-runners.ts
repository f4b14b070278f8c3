import { Injectable } from '@nestjs/common';
import type { Instruction, InstructionType } from './instruction.js';
import type { InstructionRunner } from './instruction-runner.js';

/** What carries out the instructions of each type; each registers itself when its module starts. */
@Injectable()
export class InstructionRunners {
  private readonly byType = new Map<InstructionType, InstructionRunner>();

  register<Of extends Instruction>(runner: InstructionRunner<Of>): void {
    this.byType.set(runner.type, runner as unknown as InstructionRunner);
  }

  /** Throws an Error when nothing was registered for the type. */
  of(type: InstructionType): InstructionRunner {
    const runner = this.byType.get(type);
    if (!runner) throw new Error(`Nothing carries out instructions of type ${type}.`);
    return runner;
  }
}
