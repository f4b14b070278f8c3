import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors.js';
import { EventOutboxService, type EventPayloads } from '../../shared/events/index.js';
import { refuseInvalid } from '../../shared/validation/index.js';
import { mediaErrors } from './media.errors.js';
import type { ContainerFlag, ContainerType, MediaContainer } from './media-container.entity.js';
import type { MediaContainerChangesDto } from './media-container-input.dto.js';
import { type ContainerPage, MediaContainersRepository } from './media-containers.repository.js';
import type { MediaItem } from './media-item.entity.js';
import { MediaItemsRepository } from './media-items.repository.js';
import { MediaRemovalService } from './media-removal.service.js';

/** Types of media that can be laid over other media. */
const WATERMARK_SOURCES: ReadonlySet<ContainerType> = new Set(['image', 'audio']);

/** A container with its files. */
export interface ContainerWithMedia {
  readonly container: MediaContainer;
  readonly media: readonly MediaItem[];
}

export interface ContainerKind {
  readonly type: ContainerType;
  readonly flag: ContainerFlag;
}

/** Changes of a container: undefined leaves a field as it is, null clears it. */
export type ContainerChanges = Omit<MediaContainerChangesDto, 'start' | 'end'> & {
  readonly start?: Date | null;
  readonly end?: Date | null;
};

/** The media containers of a customer; all of its users may read and change them. */
@Injectable()
export class MediaContainersService {
  constructor(
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly removal: MediaRemovalService,
    private readonly events: EventOutboxService,
    private readonly database: Database,
  ) {}

  /** A container of the caller's customer, also in the trash. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<ContainerWithMedia> {
    const container = await this.containers.findForCustomer(caller.customerId, id);
    if (!container) throw unknown(id);
    return { container, media: await this.items.findByContainers([id]) };
  }

  /** A page of the customer's containers, or the one with this id. */
  async list(caller: Caller, page: ContainerPage): Promise<ContainerWithMedia[]> {
    const containers = await this.containers.list(caller.customerId, page);
    const media = await this.items.findByContainers(containers.map(({ id }) => id));
    const byContainer = new Map<number, MediaItem[]>(containers.map(({ id }) => [id, []]));
    for (const item of media) byContainer.get(item.mediaContainerId)?.push(item);
    return containers.map((container) => ({ container, media: byContainer.get(container.id) ?? [] }));
  }

  /** Throws `not_found`, and `validation_failed` for a type, flag or period that the container cannot have. */
  async update(caller: Caller, { id, ...changes }: ContainerChanges & { id: number }): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const container = await this.lock(caller, id);
      const media = await this.items.findByContainers([id]);
      const changed = { ...container, ...columnsOf(changes) };
      refuseInvalid([
        ...checkContainerKind(container, changed, media.find(({ role }) => role === null)?.type ?? null),
        ...checkSpan(changed),
      ]);
      return { container: await this.containers.save(changed), media };
    });
  }

  /** Moves a container to the trash: its links return 410, and it can be restored. With `force` a job removes it with all its files. */
  async delete(caller: Caller, id: number, { force = false } = {}): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const container = await this.containers.save({ ...(await this.lock(caller, id)), flag: 1, removalScheduled: force });
      if (force) await this.removal.scheduleContainerRemoval(id);
      return { container, media: await this.items.findByContainers([id]) };
    });
  }

  /** Publishes `event:releaseRequest` to its subscribers. Throws `not_found`, `media_container_in_trash`. */
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

const unknown = (id: number): DomainError => generalErrors.not_found(`The media container ${id} does not exist.`);

function columnsOf({ description, tags, metadata, ...rest }: ContainerChanges): Partial<MediaContainer> {
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

/**
 * Why a container of the kind `before`, whose original has the type `original`, cannot become `after`. A watermark asset is an image or audio
 * container of type watermark with flag 33 (contract section 7); in the trash it keeps its type.
 */
export function checkContainerKind(before: ContainerKind, after: ContainerKind, original: ContainerType | null): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (after.type !== before.type) {
    if (after.type === 'watermark') {
      if (!WATERMARK_SOURCES.has(before.type)) problems.push(notAllowed('type', 'only an image or audio container can become a watermark'));
    } else if (after.type !== original) {
      problems.push(notAllowed('type', `the type of a container is that of its original, ${original ?? before.type}, or watermark`));
    }
  }
  if (after.flag === 33 && after.type !== 'watermark') problems.push(notAllowed('flag', 'flag 33 goes with type watermark only'));
  if (after.flag === 0 && after.type === 'watermark') problems.push(notAllowed('flag', 'a container of type watermark has flag 33, or 1'));
  return problems;
}

const notAllowed = (path: string, message: string): FieldProblem => ({ path, code: 'not_allowed', message });
