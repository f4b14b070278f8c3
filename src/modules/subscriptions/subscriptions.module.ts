import { Module } from '@nestjs/common';
import { InstructionVault } from './instructions/instruction-vault.js';

/** Events that act: who wants to know of an event, and what is done then. */
@Module({ providers: [InstructionVault] })
export class SubscriptionsModule {}
