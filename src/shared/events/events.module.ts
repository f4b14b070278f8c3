import { Global, Module } from '@nestjs/common';
import { EventOutboxService } from './event-outbox.service.js';
import { EventsRepository } from './events.repository.js';

@Global()
@Module({ providers: [EventOutboxService, EventsRepository], exports: [EventOutboxService, EventsRepository] })
export class EventsModule {}
