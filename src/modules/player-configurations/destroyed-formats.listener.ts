import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FormatDestructionListener, FormatDestructionListeners } from '../formats/index.js';
import { PlayerConfigurationCacheService } from './player-configuration-cache.service.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Removes destroyed formats from the configurations that deliver them. */
@Injectable()
export class DestroyedFormatsListener implements OnModuleInit, FormatDestructionListener {
  constructor(
    private readonly listeners: FormatDestructionListeners,
    private readonly cache: PlayerConfigurationCacheService,
    private readonly configurations: PlayerConfigurationsRepository,
  ) {}

  onModuleInit(): void {
    this.listeners.register(this);
  }

  /** Runs in the transaction that destroys the format; the caches remove the configurations at its commit. */
  async formatDestroyed(formatId: number): Promise<void> {
    const changed = await this.configurations.removeFormat(formatId);
    await this.cache.changing(changed, async () => {});
  }
}
