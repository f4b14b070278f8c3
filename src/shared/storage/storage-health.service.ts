import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadyDetailsService } from '../health/ready-details.service.js';
import { Log } from '../logging/index.js';
import { versioningProblem } from './bucket-versioning.js';
import { ObjectStorage } from './object-storage.port.js';

/** The probe of a load balancer must not wait for a storage that does not respond. */
const TIMEOUT_MS = 100;

/** Warns the operator if the bucket has no versioning: once at start, and in `/health/ready`. */
@Injectable()
export class StorageHealthService implements OnModuleInit {
  constructor(
    private readonly sources: ReadyDetailsService,
    private readonly storage: ObjectStorage,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.sources.register('storage', async () => {
      const timeout = setTimeout(TIMEOUT_MS, null, { ref: false });
      const versioning = await Promise.race([this.storage.versioning().catch(() => null), timeout]);
      if (!versioning) return null; // the reason has already been logged
      const warnings = [this.explain(versioning), this.storage.versioningFailure].filter((problem) => problem !== null);
      return { versions: versioning.status, readable: versioning.readable, ...(warnings.length > 0 && { warnings }) };
    });
  }

  /** Logs a warning if needed. Never throws, because the storage may start later than the service. */
  async warn(): Promise<void> {
    const versioning = await this.storage.versioning().catch(() => null);
    const problem = versioning && this.explain(versioning);
    if (problem) this.log.warn({ bucket: this.storage.location.bucket, versions: versioning.status }, problem);
  }

  private explain(versioning: Parameters<typeof versioningProblem>[0]): string | null {
    return versioningProblem(versioning, this.storage.location.bucket);
  }
}
