import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { defined } from '../../../shared/validation/index.js';
import { PasswordHasher } from '../../accounts/index.js';
import type { Dropsite, DropsiteType } from '../dropsite.entity.js';
import { DropsitesRepository } from '../dropsites.repository.js';

/** What is wanted of a dropsite: undefined leaves what is there, null clears it. */
export interface DropsiteChanges {
  readonly ownerId?: number;
  readonly name?: string;
  readonly description?: string | null;
  readonly expiresAt?: Date | null;
  readonly password?: string | null;
  readonly maxItemsPerDay?: number | null;
  readonly maxBytesPerDay?: number | null;
  readonly allowedTypes?: DropsiteType[] | null;
  readonly allowAnonymous?: boolean | null;
  readonly publicAreaIds?: number[] | null;
}

export interface NewDropsite extends DropsiteChanges {
  readonly customerId: number;
  readonly ownerId: number;
  readonly name: string;
  /** Made up unless given. */
  readonly link?: string;
}

/** Writes dropsites, for those who manage them and for the administration. Whether they may is asked before. */
@Injectable()
export class DropsiteWriter {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly hasher: PasswordHasher,
  ) {}

  async create({ customerId, link = randomUUID(), ...changes }: NewDropsite): Promise<Dropsite> {
    return await this.dropsites.save({ customerId, link, clientId: `dropsite-${randomUUID()}`, ...(await this.columns(changes, null)) });
  }

  /** Of a dropsite that is locked. */
  async update(dropsite: Dropsite, changes: DropsiteChanges): Promise<Dropsite> {
    return await this.dropsites.save({ ...dropsite, ...(await this.columns(changes, dropsite)) });
  }

  private async columns(
    { password, description, allowedTypes, allowAnonymous, publicAreaIds, ...rest }: DropsiteChanges,
    before: Dropsite | null,
  ) {
    return defined({
      ...rest,
      description: description === null ? '' : description,
      allowedTypes: allowedTypes === null ? [] : allowedTypes,
      allowAnonymous: allowAnonymous === null ? true : allowAnonymous,
      publicAreaIds: publicAreaIds === null ? [] : publicAreaIds,
      passwordHash: password ? await this.hash(password, before) : password,
    });
  }

  /** An unchanged password keeps its hash. */
  private async hash(password: string, before: Dropsite | null): Promise<string> {
    if (before?.passwordHash && (await this.hasher.verify(before.passwordHash, password))) return before.passwordHash;
    return await this.hasher.hash(password);
  }
}
