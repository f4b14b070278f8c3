import { Module } from '@nestjs/common';
import { InstructionRunners } from './instructions/instruction-runners.js';
import { InstructionVault } from './instructions/instruction-vault.js';

/** Events that act: who wants to know of an event, and what is done then. */
@Module({ providers: [InstructionRunners, InstructionVault] })
export class SubscriptionsModule {}
