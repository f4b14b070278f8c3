import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadyDetailSources } from '../health/index.js';
import { Log } from '../logging/index.js';
import { versioningProblem } from './bucket-versioning.js';
import { ObjectStorage } from './object-storage.js';

/** A probe of a load balancer does not wait for a storage that hangs. */
const PATIENCE_MS = 1_000;

/** Tells the operator of a bucket that keeps no versions: once at start, and in `/health/ready`. */
@Injectable()
export class StorageHealthService implements OnModuleInit {
  constructor(
    private readonly sources: ReadyDetailSources,
    private readonly storage: ObjectStorage,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.sources.answerBy('storage', async () => {
      const hanging = setTimeout(PATIENCE_MS, null, { ref: false });
      const versioning = await Promise.race([this.storage.versioning().catch(() => null), hanging]);
      if (!versioning) return null; // it has been logged why
      const problem = this.explain(versioning);
      return { versions: versioning.status, readable: versioning.readable, ...(problem && { warnings: [problem] }) };
    });
  }

  /** What there is to warn of goes into the log. Never throws: the storage may come up later than the service. */
  async warn(): Promise<void> {
    const versioning = await this.storage.versioning().catch(() => null);
    const problem = versioning && this.explain(versioning);
    if (problem) this.log.warn({ bucket: this.storage.location.bucket, versions: versioning.status }, problem);
  }

  private explain(versioning: Parameters<typeof versioningProblem>[0]): string | null {
    return versioningProblem(versioning, this.storage.location.bucket);
  }
}
