import { Injectable } from '@nestjs/common';
import { Database, insertIfAbsent } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { UsedSignature } from './used-signature.entity.js';

/** Signatures that were accepted within their window, shared by all processes. */
@Injectable()
export class UsedSignaturesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('used_signatures', 'expires_at < $1');
  }

  /** Records the use of a signature, which binds it to its method; whether it is the first use. */
  async claim(signature: string, method: string, expiresAt: Date): Promise<boolean> {
    return await insertIfAbsent(this.database.repository(UsedSignature), { signature, method, expiresAt });
  }

  /** The method of the first use; null for one that the previous version of the service accepted, which was not a GET. */
  async findMethod(signature: string): Promise<string | null> {
    return (await this.database.repository(UsedSignature).findOneBy({ signature }))?.method ?? null;
  }
}
