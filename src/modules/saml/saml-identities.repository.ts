import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { SamlIdentity } from './saml-identity.entity.js';

type NameId = Pick<SamlIdentity, 'nameId' | 'nameIdFormat'>;

/** Owns `saml_identities`: the users whom identity providers identify by a NameID. */
@Injectable()
export class SamlIdentitiesRepository {
  constructor(private readonly database: Database) {}

  /** Finds the id of the user whom the identity provider identifies by this NameID; null before the first login. */
  async findLinkedUserId(identityProviderId: number, { nameId, nameIdFormat }: NameId): Promise<number | null> {
    return (await this.repository.findOneBy({ identityProviderId, nameId, nameIdFormat }))?.userId ?? null;
  }

  /** Finds the NameIDs that are linked to a user, of all identity providers. */
  async findOfUser(userId: number): Promise<(NameId & Pick<SamlIdentity, 'identityProviderId'>)[]> {
    const select = { identityProviderId: true, nameId: true, nameIdFormat: true } as const;
    return await this.repository.find({ select, where: { userId } });
  }

  /** Finds the users, of these, whom an identity provider identifies, and the identity providers. */
  async findOfUsers(userIds: readonly number[]): Promise<Pick<SamlIdentity, 'identityProviderId' | 'userId'>[]> {
    return await this.repository.find({ select: { identityProviderId: true, userId: true }, where: { userId: In([...userIds]) } });
  }

  /** Links a NameID that is not yet linked to a user, for all later logins. */
  async link(identityProviderId: number, { nameId, nameIdFormat }: NameId, userId: number): Promise<void> {
    await this.repository.insert({ identityProviderId, nameId, nameIdFormat, userId });
  }

  private get repository() {
    return this.database.repository(SamlIdentity);
  }
}
