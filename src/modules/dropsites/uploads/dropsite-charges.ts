import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/time/index.js';
import { ItemSuccessListeners } from '../../uploads/index.js';
import { DropsiteUsageRepository } from './dropsite-usage.repository.js';

/** Counts what arrived beyond what was announced, in the transaction that records it. It is there already, so it is never refused. */
@Injectable()
export class DropsiteCharges implements OnModuleInit {
  constructor(
    private readonly usage: DropsiteUsageRepository,
    private readonly listeners: ItemSuccessListeners,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.listeners.register(async ({ batch, announcedBytes, size }) => {
      const bytes = size - announcedBytes;
      if (batch.dropsiteId !== null && bytes > 0) await this.usage.charge(batch.dropsiteId, bytes, this.clock.now());
    });
  }
}
