import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { AuditService } from '../../shared/audit/audit.service.js';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { type DomainError, generalErrors } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { defined, invalidInput } from '../../shared/validation/index.js';
import { PasswordHasher, PrincipalsService } from '../accounts/index.js';
import type { DropsiteChangesDto } from './dropsite.dto.js';
import type { Dropsite } from './dropsite.entity.js';
import { type DropsitePage, DropsitesRepository } from './dropsites.repository.js';

/** Changes of the settings of a dropsite: undefined leaves a setting unchanged, null clears it. */
export type DropsiteChanges = Omit<DropsiteChangesDto, 'expiresAt'> & { readonly expiresAt?: Date | null };

/** The dropsite to change; with `ifMatch` only if it has a version that the header names. */
interface ChangedDropsite {
  readonly id: number;
  readonly ifMatch?: string;
}

export interface NewDropsite extends DropsiteChanges {
  readonly customerId: number;
  readonly ownerId: number;
  readonly name: string;
  /** The link; generated if absent. */
  readonly link?: string;
}

/** The dropsites of a customer; all of its users may manage them. */
@Injectable()
export class DropsitesService {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly principals: PrincipalsService,
    private readonly hasher: PasswordHasher,
    private readonly database: Database,
    private readonly quotas: QuotasService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** A page of the customer's dropsites, or the one with this id. */
  async list(caller: Caller, page: DropsitePage): Promise<Dropsite[]> {
    return await this.dropsites.list(caller.customerId, page, this.clock.now());
  }

  /** Returns a dropsite of the customer. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<Dropsite> {
    const dropsite = await this.dropsites.findForCustomer(caller.customerId, id);
    if (!dropsite) throw unknown(id);
    return dropsite;
  }

  /** A dropsite of an owner by its name; null: no dropsite has it. */
  async findByName(ownerId: number, name: string): Promise<Dropsite | null> {
    return await this.dropsites.findByName(ownerId, name);
  }

  /**
   * Creates a dropsite. Its owner is the caller, unless another user of the customer is named. Throws `validation_failed` for an unknown owner, and
   * `quota_exceeded`.
   */
  async create(caller: Caller, { ownerId = caller.userId, ...settings }: DropsiteChanges & { name: string }): Promise<Dropsite> {
    const { customerId } = caller;
    await this.checkOwner(customerId, ownerId);
    return await this.database.transaction(async () => {
      await this.quotas.reserve(customerId, 'dropsites');
      const dropsite = await this.insert({ ...settings, customerId, ownerId });
      await this.audit.note(caller, { action: 'dropsite.create', subject: `dropsite:${dropsite.link}` });
      return dropsite;
    });
  }

  /** Changes a dropsite. Throws `not_found`, `precondition_failed`, and `validation_failed` for an unknown owner. */
  async update(caller: Caller, { id, ifMatch, ...changes }: DropsiteChanges & ChangedDropsite): Promise<Dropsite> {
    return await this.database.transaction(async () => {
      const dropsite = await this.lock(caller, { id, ifMatch });
      if (changes.ownerId !== undefined) await this.checkOwner(caller.customerId, changes.ownerId);
      const saved = await this.save(dropsite, changes);
      if (saved.version !== dropsite.version)
        await this.audit.note(caller, { action: 'dropsite.update', subject: `dropsite:${saved.link}` });
      return saved;
    });
  }

  /**
   * Deletes a dropsite: its link answers 410, and 404 after 90 days, and its sessions can start no new uploads; uploaded media stay, and started batches can be finished.
   * Throws `not_found`, `precondition_failed`.
   */
  async delete(caller: Caller, changed: ChangedDropsite): Promise<void> {
    await this.database.transaction(async () => {
      const dropsite = await this.lock(caller, changed);
      await this.dropsites.delete(dropsite, { at: this.clock.now(), by: caller.userId });
      await this.audit.note(caller, { action: 'dropsite.delete', subject: `dropsite:${dropsite.link}` });
    });
  }

  /** For other modules: the dropsite of a link, if it belongs to this user. */
  async findForOwner(ownerId: number, link: string): Promise<Pick<Dropsite, 'id' | 'link' | 'name'> | null> {
    const found = isUUID(link) ? await this.dropsites.findByLink(link) : null;
    return found?.ownerId === ownerId && found.endedAt === null ? found : null;
  }

  /** For the administration: finds a dropsite by its link, even one that was deleted, or else by owner and name. */
  async findDeclared({ link, ownerId, name }: Pick<NewDropsite, 'link' | 'ownerId' | 'name'>): Promise<Dropsite | null> {
    return link === undefined ? await this.dropsites.findByName(ownerId, name) : await this.dropsites.findByLink(link);
  }

  /**
   * For the administration: creates or updates a dropsite; absent settings are unchanged. A dropsite found by its link has to belong to the same
   * customer; one that was deleted is taken back.
   */
  async declare(declaration: NewDropsite): Promise<Dropsite> {
    return await this.database.transaction(async () => {
      const found = await this.findDeclared(declaration);
      const { customerId, link: _link, ...changes } = declaration;
      const locked = found && (await this.dropsites.lockForCustomer(customerId, found.id));
      if (!locked) return await this.insert(declaration);
      const restored = locked.endedAt === null ? locked : { ...locked, endedAt: null, endedBy: null, expiresAt: null };
      return await this.save(restored, changes);
    });
  }

  private async lock({ customerId }: Caller, { id, ifMatch }: ChangedDropsite): Promise<Dropsite> {
    const dropsite = await this.dropsites.lockForCustomer(customerId, id);
    if (!dropsite || dropsite.endedAt !== null) throw unknown(id);
    requireMatch(ifMatch, dropsite, `dropsite ${id}`);
    return dropsite;
  }

  private async insert({ customerId, link = randomUUID(), ...settings }: NewDropsite): Promise<Dropsite> {
    return await this.dropsites.save({
      customerId,
      link,
      clientId: `dropsite-${randomUUID()}`,
      ...(await this.columnsOf(settings, { customerId, passwordHash: null })),
    });
  }

  private async save(locked: Dropsite, changes: DropsiteChanges): Promise<Dropsite> {
    return await this.dropsites.save({ ...locked, ...(await this.columnsOf(changes, locked)) });
  }

  private async columnsOf(
    { password, description, allowedTypes, allowAnonymous, publicAreaIds, ...rest }: DropsiteChanges,
    { customerId, passwordHash: before }: Pick<Dropsite, 'customerId' | 'passwordHash'>,
  ) {
    return defined({
      ...rest,
      description: description === null ? '' : description,
      allowedTypes: allowedTypes === null ? [] : allowedTypes,
      allowAnonymous: allowAnonymous === null ? true : allowAnonymous,
      publicAreaIds: publicAreaIds === null ? [] : publicAreaIds,
      passwordHash: password ? await this.hasher.hashIfChanged(password, before, String(customerId)) : password,
    });
  }

  private async checkOwner(customerId: number, ownerId: number): Promise<void> {
    const owner = await this.principals.find(ownerId);
    if (owner?.customerId === customerId && owner.kind !== 'sender') return;
    throw invalidInput({ path: 'ownerId', code: 'not_found', message: `there is no user ${ownerId}` });
  }
}

const unknown = (id: number): DomainError => generalErrors.not_found(`The dropsite ${id} does not exist.`);
