import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FormatDestructionListener, FormatDestructionListeners } from '../formats/index.js';
import { PlayerConfigurationReader } from './player-configuration-reader.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Takes formats that go out of the configurations that deliver them. */
@Injectable()
export class DestroyedFormats implements OnModuleInit, FormatDestructionListener {
  constructor(
    private readonly listeners: FormatDestructionListeners,
    private readonly reader: PlayerConfigurationReader,
    private readonly configurations: PlayerConfigurationsRepository,
  ) {}

  onModuleInit(): void {
    this.listeners.register(this);
  }

  /** In the transaction that destroys the format; who reads configurations hears of it at its commit. */
  async formatDestroyed(formatId: number): Promise<void> {
    const changed = await this.configurations.removeFormat(formatId);
    await this.reader.changing(changed, async () => {});
  }
}
