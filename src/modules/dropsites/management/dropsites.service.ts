import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { type DomainError, generalErrors } from '../../../shared/errors/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import { type DropsitePage, DropsitesRepository } from '../dropsites.repository.js';
import { type DropsiteChanges, DropsiteWriter } from './dropsite-writer.js';

/** The dropsites of a customer, which any of its users may manage. */
@Injectable()
export class DropsitesService {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly writer: DropsiteWriter,
    private readonly principals: PrincipalsService,
    private readonly database: Database,
    private readonly quotas: Quotas,
  ) {}

  /** A page of the customer's dropsites, or the one of this id. */
  async list(caller: Caller, page: DropsitePage): Promise<Dropsite[]> {
    return await this.dropsites.list(caller.customerId, page);
  }

  /** Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<Dropsite> {
    const dropsite = await this.dropsites.findForCustomer(caller.customerId, id);
    if (!dropsite) throw unknown(id);
    return dropsite;
  }

  /** Of the caller's, unless another user of the customer is named. Throws `validation_failed` for an owner who is none, and `quota_exceeded`. */
  async create(caller: Caller, { ownerId = caller.userId, ...wanted }: DropsiteChanges & { name: string }): Promise<Dropsite> {
    const { customerId } = caller;
    await this.checkOwner(customerId, ownerId);
    return await this.database.transaction(async () => {
      await this.quotas.reserve(customerId, 'dropsites');
      return await this.writer.create({ ...wanted, customerId, ownerId });
    });
  }

  /** Throws `not_found`, and `validation_failed` for an owner who is none. */
  async update(caller: Caller, { id, ...changes }: DropsiteChanges & { id: number }): Promise<Dropsite> {
    return await this.database.transaction(async () => {
      const dropsite = await this.dropsites.lockForCustomer(caller.customerId, id);
      if (!dropsite) throw unknown(id);
      if (changes.ownerId !== undefined) await this.checkOwner(caller.customerId, changes.ownerId);
      return await this.writer.update(dropsite, changes);
    });
  }

  /**
   * Its link leads nowhere from then on and its sessions begin nothing new; what it received stays, and batches that have begun may be
   * finished. Throws `not_found`.
   */
  async delete(caller: Caller, id: number): Promise<void> {
    if (!(await this.dropsites.delete(caller.customerId, id))) throw unknown(id);
  }

  private async checkOwner(customerId: number, ownerId: number): Promise<void> {
    const owner = await this.principals.find(ownerId);
    if (owner?.customerId === customerId && owner.kind !== 'sender') return;
    const message = `there is no user ${ownerId}`;
    throw generalErrors.validation_failed(`The input is not valid. ownerId: ${message}.`, {
      errors: [{ path: 'ownerId', code: 'not_found', message }],
    });
  }
}

const unknown = (id: number): DomainError => generalErrors.not_found(`There is no dropsite ${id}.`);
