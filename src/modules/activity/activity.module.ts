import { Module } from '@nestjs/common';
import { Activities } from './activities.js';
import { ActivityController } from './activity.controller.js';

/** Jobs that a caller can ask about. */
@Module({ controllers: [ActivityController], providers: [Activities], exports: [Activities] })
export class ActivityModule {}
