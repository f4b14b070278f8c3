import { Injectable } from '@nestjs/common';
import { Database, insertIfAbsent } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { UsedSignature } from './used-signature.entity.js';

/** Stores the signatures that were accepted within their window, for all processes. */
@Injectable()
export class UsedSignaturesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('used_signatures', 'expires_at < $1');
  }

  /** Records the use of a signature, which binds it to its method; true if it is the first use. */
  async claim(signature: string, method: string, expiresAt: Date): Promise<boolean> {
    return await insertIfAbsent(this.database.repository(UsedSignature), { signature, method, expiresAt });
  }

  /** Finds the method of the first use; null if the previous version of the service accepted the signature, for a method other than GET. */
  async findMethod(signature: string): Promise<string | null> {
    return (await this.database.repository(UsedSignature).findOneBy({ signature }))?.method ?? null;
  }
}
