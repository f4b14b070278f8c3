import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import type { Caller } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors.js';
import { EventOutboxService, type EventPayloads } from '../../shared/events/index.js';
import { requireMatch } from '../../shared/http/index.js';
import { invalidInput, MAX_DOCUMENT_BYTES, refuseInvalid, tooLarge } from '../../shared/validation/index.js';
import type { MediaItem } from '../media/index.js';
import {
  type ContainerFlag,
  IN_TRASH,
  type LockedContainer,
  type MediaContainer,
  MediaContainersRepository,
  MediaItemsRepository,
  MediaReaderRepository,
  MediaRemovalService,
  mediaErrors,
  type TagChanges,
} from '../media/index.js';
import { type ContainerChanges, checkContainer, columnsOf } from './container-changes.js';
import { MAX_TAGS } from './media-container-input.dto.js';

/** A container with its files. */
export interface ContainerWithMedia {
  readonly container: MediaContainer;
  readonly media: readonly MediaItem[];
  /** The oldest other container of the customer with the same original; null: there is none. */
  readonly duplicateOf: number | null;
}

/** A change of one container; with `ifMatch` only if it has a version that the header names. */
type ContainerUpdate = ContainerChanges & { readonly id: number; readonly ifMatch?: string };

interface ContainerDeletion {
  readonly force: boolean;
  readonly ifMatch?: string;
}

/** Changes that apply to many containers. */
export type BulkContainerChanges = Pick<ContainerChanges, 'tags' | 'license' | 'start' | 'end' | 'flag'> & TagChanges;

/** Locked containers, by whether they can be changed. */
export interface LockedContainers {
  /** The ids of those that can be changed. */
  readonly changeable: readonly number[];
  /** Why the others cannot be changed, by id. */
  readonly refused: ReadonlyMap<number, DomainError>;
}

/** Reads and changes the media containers of a customer, which all of its users may do. */
@Injectable()
export class MediaContainersService {
  constructor(
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly media: MediaReaderRepository,
    private readonly removal: MediaRemovalService,
    private readonly events: EventOutboxService,
    private readonly database: Database,
    private readonly audit: AuditService,
  ) {}

  /** Returns a container of the caller's customer, even from the trash. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<ContainerWithMedia> {
    const container = await this.containers.findForCustomer(caller.customerId, id);
    if (!container) throw unknown(id);
    return await this.withFiles(container);
  }

  /** Changes a container. Throws `not_found`, `precondition_failed`, and `validation_failed` for a type, flag or period that it cannot have. */
  async update(caller: Caller, { id, ifMatch, ...changes }: ContainerUpdate): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const container = await this.lock(caller, id);
      requireMatch(ifMatch, container, `media container ${id}`);
      const media = await this.items.findByContainers([id]);
      const changed = { ...container, ...columnsOf(changes) };
      refuseInvalid(checkContainer(container, changed, media.find(({ role }) => role === null)?.type ?? null));
      await this.noteTrash(caller, [container], changed.flag);
      return await this.withFiles(await this.containers.save(changed));
    });
  }

  /**
   * Locks those of the customer's containers that exist until the ambient transaction ends, and determines which of them permit the changes. Call
   * `updateMany` afterwards in the same transaction.
   */
  async lockMany(caller: Caller, ids: readonly number[], changes: BulkContainerChanges): Promise<LockedContainers> {
    const { addTags, removeTags, ...fields } = changes;
    const found = await this.containers.lockManyForCustomer(caller.customerId, ids, { addTags, removeTags });
    const byId = new Map(found.map((container) => [container.id, container]));
    const columns = columnsOf(fields);
    const refused = new Map<number, DomainError>();
    for (const id of ids) {
      const container = byId.get(id);
      const problems = container
        ? [...checkContainer(container, { ...container, ...columns }, null), ...checkMergedTags(container.mergedTags)]
        : [];
      if (!container) refused.set(id, unknown(id));
      else if (problems.length > 0) refused.set(id, invalidInput(...problems));
    }
    return { changeable: ids.filter((id) => !refused.has(id)), refused };
  }

  /** Changes containers of the caller's customer that `lockMany` has locked. */
  async updateMany(caller: Caller, ids: readonly number[], { addTags, removeTags, ...fields }: BulkContainerChanges): Promise<void> {
    if (fields.flag !== undefined) await this.noteTrash(caller, await this.containers.findFlags(ids), fields.flag);
    await this.containers.changeMany(ids, columnsOf(fields), { addTags, removeTags });
  }

  /**
   * Moves a container to the trash: its links return 410, and it can be restored. With `force` a job removes it with all its files. Throws `not_found`,
   * `precondition_failed`.
   */
  async delete(caller: Caller, id: number, { force, ifMatch }: ContainerDeletion): Promise<ContainerWithMedia> {
    return await this.database.transaction(async () => {
      const before = await this.lock(caller, id);
      requireMatch(ifMatch, before, `media container ${id}`);
      const container = await this.containers.save({ ...before, flag: IN_TRASH, removalScheduled: force });
      if (force) await this.removal.scheduleContainerRemoval(id);
      if (force) await this.audit.note(caller, { action: 'media_container.remove', subject: `media_container:${id}` });
      else await this.noteTrash(caller, [before], IN_TRASH);
      return await this.withFiles(container);
    });
  }

  /** Publishes `event:releaseRequest` to its subscribers. Throws `not_found`, `media_container_in_trash`. */
  async requestRelease(caller: Caller, id: number, message: string | null): Promise<EventPayloads['event:releaseRequest']> {
    return await this.database.transaction(async () => {
      const { flag } = await this.lock(caller, id);
      if (flag === IN_TRASH) throw mediaErrors.media_container_in_trash(`The media container ${id} is in the trash.`);
      const payload = { mediaContainerId: id, requesterId: caller.userId, message };
      await this.events.publish({ name: 'event:releaseRequest', customerId: caller.customerId, method: 'create', payload });
      return payload;
    });
  }

  /** Records which containers, as they were before, the new flag moves to the trash or takes out of it. */
  private async noteTrash(caller: Caller, before: readonly Pick<MediaContainer, 'id' | 'flag'>[], flag: ContainerFlag): Promise<void> {
    const isMoved = (one: { readonly flag: ContainerFlag }) => (one.flag === IN_TRASH) !== (flag === IN_TRASH);
    const ids = before.filter(isMoved).map(({ id }) => id);
    if (ids.length === 0) return;
    const action = flag === IN_TRASH ? 'media_container.trash' : 'media_container.restore';
    const change = before.length > 1 ? { subject: 'media_container:bulk', ids } : { subject: `media_container:${ids[0]}` };
    await this.audit.note(caller, { action, ...change });
  }

  private async withFiles(container: MediaContainer): Promise<ContainerWithMedia> {
    const { id, customerId } = container;
    const [media, duplicates] = [await this.items.findByContainers([id]), await this.media.findSameContent(customerId, [id])];
    return { container, media, duplicateOf: duplicates.get(id) ?? null };
  }

  private async lock(caller: Caller, id: number): Promise<MediaContainer> {
    const container = await this.containers.lockForCustomer(caller.customerId, id);
    if (!container) throw unknown(id);
    return container;
  }
}

const unknown = (id: number): DomainError => generalErrors.not_found(`The media container ${id} does not exist.`);

/** Returns why the merged tags cannot be stored; they are null if no tags are added. */
const checkMergedTags = (merged: LockedContainer['mergedTags']): FieldProblem[] => [
  ...(merged && merged.count > MAX_TAGS
    ? [{ path: 'tags', code: 'array_max_size', message: `tags must contain no more than ${MAX_TAGS} elements` }]
    : []),
  ...(merged && merged.bytes > MAX_DOCUMENT_BYTES ? [tooLarge('tags', MAX_DOCUMENT_BYTES, merged.bytes)] : []),
];
