import { Module } from '@nestjs/common';
import { EgressModule } from '../../shared/egress/index.js';
import { HttpsRunner } from './instructions/https/https-runner.js';
import { InstructionRunners } from './instructions/instruction-runners.js';
import { InstructionVault } from './instructions/instruction-vault.js';

/** Events that act: who wants to know of an event, and what is done then. */
@Module({ imports: [EgressModule], providers: [HttpsRunner, InstructionRunners, InstructionVault] })
export class SubscriptionsModule {}
