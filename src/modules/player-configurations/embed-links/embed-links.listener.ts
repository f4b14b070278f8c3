import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import { DomainError } from '../../../shared/errors.js';
import { type DomainEvent, EventOutboxService, type EventPayloads } from '../../../shared/events/index.js';
import { MediaReaderRepository } from '../../media/index.js';
import { PlayerConfigurationsRepository } from '../player-configurations.repository.js';
import type { NewEmbedLink } from './embed-links.repository.js';
import { EmbedLinksService } from './embed-links.service.js';

/** The value of `origin` in the response of a generated link. */
const ORIGIN = 'autoGenerate';

/** Creates an embed link of every new upload for each configuration with `autoGenerate`. An event that is delivered twice creates it only once. */
@Injectable()
export class EmbedLinksListener implements OnModuleInit {
  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly links: EmbedLinksService,
    private readonly media: MediaReaderRepository,
    private readonly outbox: EventOutboxService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.outbox.addListener(['event:s3success'], 'after-commit', async (event) => await this.createLinks(event));
  }

  private async createLinks({ customerId, payload }: DomainEvent): Promise<void> {
    const { mediaContainerId, role } = payload as EventPayloads['event:s3success'];
    if (role) return; // its container got its links with the original
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container || container.type === 'watermark' || container.flag !== 0) return;
    const { type, creatorId } = container;
    const link = {
      customerId,
      creatorId,
      type,
      mediaContainerId,
      origin: ORIGIN,
      description: '',
      flag: 0,
      start: null,
      end: null,
    } as const;
    for (const playerConfigurationId of await this.configurations.listAutoGenerating(customerId, type)) {
      await this.createLink({ ...link, playerConfigurationId });
    }
  }

  private async createLink(link: NewEmbedLink): Promise<void> {
    try {
      await this.links.findOrCreate(link, { record: this.audit.recorderOfService, deletedCounts: true }); // a link that was deleted since the first delivery of the event stays deleted
    } catch (error) {
      if (!(error instanceof DomainError)) throw error; // the configuration or the container has been deleted in the meantime
    }
  }
}
