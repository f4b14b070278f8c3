import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors/index.js';
import { EventOutbox, type EventPayloads } from '../../shared/events/index.js';
import { refuseInvalid } from '../../shared/validation/index.js';
import { checkContainerKind } from './check-container-kind.js';
import { mediaErrors } from './media.errors.js';
import type { ContainerFlag, ContainerType, License, MediaContainer, MetadataEntry } from './media-container.entity.js';
import { type ContainerPage, MediaContainersRepository } from './media-containers.repository.js';
import type { MediaItem } from './media-item.entity.js';
import { MediaContainerDestruction } from './removal/media-container-destruction.js';

/** A container with its files. */
export interface ContainerWithMedia {
  readonly container: MediaContainer;
  readonly media: readonly MediaItem[];
}

/** What is wanted of a container: undefined leaves what is there, null clears it. */
export interface ContainerChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly tags?: string[] | null;
  readonly license?: License | null;
  readonly metadata?: MetadataEntry[] | null;
  readonly start?: Date | null;
  readonly end?: Date | null;
  readonly flag?: ContainerFlag;
  readonly type?: ContainerType;
}

/** The media containers of a customer, which any of its users may read and change. */
@Injectable()
export class MediaContainersService {
  constructor(
    private readonly containers: MediaContainersRepository,
    private readonly destruction: MediaContainerDestruction,
    private readonly events: EventOutbox,
    private readonly database: Database,
  ) {}

  /** A container of the caller's customer, also one in the trash. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<ContainerWithMedia> {
    const container = await this.containers.findForCustomer(caller.customerId, id);
    if (!container) throw unknown(id);
    return { container, media: await this.containers.itemsOf([id]) };
  }

  /** A page of the customer's containers that are not in the trash, or the one of this id. */
  async list(caller: Caller, page: ContainerPage): Promise<ContainerWithMedia[]> {
    const containers = await this.containers.list(caller.customerId, page);
    const media = await this.containers.itemsOf(containers.map(({ id }) => id));
    const byContainer = new Map<number, MediaItem[]>(containers.map(({ id }) => [id, []]));
    for (const item of media) byContainer.get(item.mediaContainerId)?.push(item);
    return containers.map((container) => ({ container, media: byContainer.get(container.id) ?? [] }));
  }

  /** Throws `not_found`, and `validation_failed` for a type, flag or span of time that it cannot have. */
  async update(caller: Caller, { id, ...changes }: ContainerChanges & { id: number }): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const container = await this.lock(caller, id);
      const media = await this.containers.itemsOf([id]);
      const changed = { ...container, ...columns(changes) };
      refuseInvalid([...checkContainerKind(container, changed, media[0]?.type ?? null), ...checkSpan(changed)]);
      return { container: await this.containers.save(changed), media };
    });
  }

  /** Into the trash: its links answer 410, and it can be taken out again. With `force` it is gone, and a job removes it with all its files. */
  async delete(caller: Caller, id: number, { force = false } = {}): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const container = await this.containers.save({ ...(await this.lock(caller, id)), flag: 1, doomed: force });
      if (force) await this.destruction.request(id);
      return { container, media: await this.containers.itemsOf([id]) };
    });
  }

  /** Asks whoever subscribed to `event:releaseRequest`. Throws `not_found`, `media_container_in_trash`. */
  async requestRelease(caller: Caller, id: number, message: string | null): Promise<EventPayloads['event:releaseRequest']> {
    return await this.database.transaction(async () => {
      const { flag } = await this.lock(caller, id);
      if (flag === 1) throw mediaErrors.media_container_in_trash(`The media container ${id} is in the trash.`);
      const payload = { mediaContainerId: id, requesterId: caller.userId, message };
      await this.events.publish({ name: 'event:releaseRequest', customerId: caller.customerId, method: 'create', payload });
      return payload;
    });
  }

  private async lock(caller: Caller, id: number): Promise<MediaContainer> {
    const container = await this.containers.lockForCustomer(caller.customerId, id);
    if (!container) throw unknown(id);
    return container;
  }
}

const unknown = (id: number): DomainError => generalErrors.not_found(`There is no media container ${id}.`);

function columns({ description, tags, metadata, ...rest }: ContainerChanges): Partial<MediaContainer> {
  const wanted = {
    ...rest,
    description: description === null ? '' : description,
    tags: tags === null ? [] : tags,
    metadata: metadata === null ? [] : metadata,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as Partial<MediaContainer>;
}

function checkSpan({ start, end, license }: MediaContainer): FieldProblem[] {
  const problem = (path: string): FieldProblem => ({ path, code: 'not_after_start', message: 'must be after start' });
  return [
    ...(start && end && end <= start ? [problem('end')] : []),
    ...(license?.start && license.end && new Date(license.end) <= new Date(license.start) ? [problem('license.end')] : []),
  ];
}
