import { Injectable } from '@nestjs/common';
import { FairLimit } from '../../../shared/fairness/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { CredentialIssuer, type Credentials, PolicyTooLarge } from './credential-issuer.port.js';
import { credentialLifetime, groupItems, sessionPolicy, type UploadItem } from './credential-sets.js';

/** Concurrent calls of one process: AWS allows an account about 600 calls per second, and each takes about 50 ms. */
const CONCURRENT_CALLS = 16;
/** A few seconds of calls; a batch has one call, or a few. */
const MAX_WAITING = 1_000;

/** An upload; customers take turns, because senders choose the ids of their uploads. */
interface UploadOfCustomer {
  readonly uploadId: string;
  readonly customerId: number;
}

/** Issues credentials for the items of a batch, in as few sets as policy and lifetime allow. */
@Injectable()
export class UploadCredentialsService {
  private readonly limit = new FairLimit({ slots: CONCURRENT_CALLS, maxWaiting: MAX_WAITING });

  constructor(
    private readonly issuer: CredentialIssuer,
    private readonly storage: ObjectStorage,
  ) {}

  /** Issues credentials of an upload of the customer; returns them by key. Throws `storage_denied` or `storage_unavailable`. */
  async issue(items: readonly UploadItem[], upload: UploadOfCustomer): Promise<Map<string, Credentials>> {
    const groups = groupItems(this.storage.location.bucket, items);
    const sets = await Promise.all(groups.map(async (group) => await this.issueSet(group, upload)));
    return new Map(sets.flat());
  }

  private async issueSet(items: readonly UploadItem[], upload: UploadOfCustomer): Promise<(readonly [string, Credentials])[]> {
    try {
      const request = this.request(items, upload.uploadId);
      const credentials = await this.limit.run(String(upload.customerId), async () => await this.issuer.issue(request));
      return items.map(({ key }) => [key, credentials]);
    } catch (error) {
      if (!(error instanceof PolicyTooLarge) || items.length === 1) throw error;
      const middle = Math.ceil(items.length / 2);
      const halves = [items.slice(0, middle), items.slice(middle)];
      return (await Promise.all(halves.map(async (half) => await this.issueSet(half, upload)))).flat();
    }
  }

  private request(items: readonly UploadItem[], uploadId: string) {
    const policy = sessionPolicy(
      this.storage.location.bucket,
      items.map(({ key }) => key),
    );
    return { policy, ttlSeconds: credentialLifetime(items.reduce((sum, { size }) => sum + size, 0)), sessionName: sessionNameOf(uploadId) };
  }
}

/**
 * The session's name in the log of the storage. It is a hash, because the storage shows the name to the holder of the credentials, who does not need
 * to know the upload's id.
 */
const sessionNameOf = (uploadId: string): string => `upload-${sha256(uploadId)}`.slice(0, 64);

/** When the last of several credentials expires. */
export const latestExpiry = (credentials: Iterable<Credentials>): Date =>
  new Date(Math.max(0, ...[...credentials].map(({ Expiration }) => Date.parse(Expiration))));
