import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FormatDestructionListener, FormatDestructionListeners } from '../formats/index.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Removes destroyed formats from the configurations that deliver them. */
@Injectable()
export class DestroyedFormatsListener implements OnModuleInit, FormatDestructionListener {
  constructor(
    private readonly listeners: FormatDestructionListeners,
    private readonly configurations: PlayerConfigurationsRepository,
  ) {}

  onModuleInit(): void {
    this.listeners.register(this);
  }

  /** Runs in the transaction that destroys the format. */
  async formatDestroyed(formatId: number): Promise<void> {
    await this.configurations.removeFormat(formatId);
  }
}
