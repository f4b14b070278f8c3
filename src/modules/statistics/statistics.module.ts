import { Module } from '@nestjs/common';
import { MediaModule } from '../media/index.js';
import { DeliveryCountsService } from './delivery-counts.service.js';
import { StatisticsController } from './statistics.controller.js';
import { StatisticsRepository } from './statistics.repository.js';
import { StatisticsService } from './statistics.service.js';

/** What was delivered and watched, without anything about who did. */
@Module({
  imports: [MediaModule],
  controllers: [StatisticsController],
  providers: [DeliveryCountsService, StatisticsRepository, StatisticsService],
  exports: [DeliveryCountsService],
})
export class StatisticsModule {}
