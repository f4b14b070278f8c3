import { Global, Module } from '@nestjs/common';
import { EventOutbox } from './event-outbox.js';
import { EventsRepository } from './events.repository.js';

@Global()
@Module({ providers: [EventOutbox, EventsRepository], exports: [EventOutbox, EventsRepository] })
export class EventsModule {}
