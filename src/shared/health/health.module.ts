import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { ReadyDetailSources } from './ready-detail-sources.js';

@Module({ controllers: [HealthController], providers: [ReadyDetailSources], exports: [ReadyDetailSources] })
export class HealthModule {}
