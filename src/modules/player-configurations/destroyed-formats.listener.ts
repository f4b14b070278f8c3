import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { FormatDestructionHooks } from '../formats/index.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Removes destroyed formats from the configurations that deliver them. */
@Injectable()
export class DestroyedFormatsListener implements OnModuleInit {
  constructor(
    private readonly hooks: FormatDestructionHooks,
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.hooks.add(async (formatId) => await this.removeFormat(formatId));
  }

  /** Runs in the transaction that destroys the format, whose audit record names the person; a softly destroyed one goes with its last media item. */
  private async removeFormat(formatId: number): Promise<void> {
    const changed = await this.configurations.removeFormat(formatId);
    if (!changed) return;
    await this.audit.record({ action: 'player_configuration.update', subject: `format:${formatId}`, actor: 'service', ...changed });
  }
}
