import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../shared/errors/index.js';
import { type DomainEvent, EventOutbox, type EventPayloads } from '../../../shared/events/index.js';
import { type DeliverableContainer, MediaReader } from '../../media/index.js';
import { PlayerConfigurationsRepository } from '../player-configurations.repository.js';
import { EmbedLinkMaker } from './embed-link-maker.js';

const ORIGIN = 'autoGenerate';

/** Makes an embed link of what arrives for each configuration of its type that wants one. Hearing of it twice makes it once. */
@Injectable()
export class EmbedLinkGenerator implements OnModuleInit {
  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly maker: EmbedLinkMaker,
    private readonly media: MediaReader,
    private readonly outbox: EventOutbox,
  ) {}

  onModuleInit(): void {
    this.outbox.addListener(['event:s3success'], 'after-commit', async (event) => await this.generate(event));
  }

  private async generate({ customerId, payload }: DomainEvent): Promise<void> {
    const { mediaContainerId } = payload as EventPayloads['event:s3success'];
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container || container.type === 'watermark' || container.flag !== 0) return;
    for (const id of await this.configurations.listAutoGenerating(customerId, container.type)) await this.make(container, id);
  }

  private async make({ id: mediaContainerId, ...container }: DeliverableContainer, playerConfigurationId: number): Promise<void> {
    const { customerId, creatorId, type } = container;
    if (type === 'watermark') return;
    const link = { customerId, creatorId, type, mediaContainerId, playerConfigurationId, origin: ORIGIN };
    try {
      // One that was deleted since the event was heard first stays deleted.
      await this.maker.make({ ...link, description: '', flag: 0, start: null, end: null }, { deletedCounts: true });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // The configuration or the container is gone since: there is nothing to make a link of.
    }
  }
}
