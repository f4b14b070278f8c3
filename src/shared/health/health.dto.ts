import { ApiProperty } from '@nestjs/swagger';

export class LiveResponse {
  /** @example "ok" */
  status: 'ok';
}

export class IsolationDetails {
  /** Their memory, processor time, files and processes are limited. @example true */
  limits: boolean;
  /** They have no network. @example true */
  network: boolean;
  /** What they start ends with them. @example true */
  processes: boolean;
  /** They see a read-only root of programs, libraries and fonts, and write in the folder of their job only. @example true */
  files: boolean;
  /** They run as another user. @example true */
  user: boolean;
  /** They have no privileges and get none. @example true */
  privileges: boolean;
}

export class ConverterDetails {
  /** Workers that make renditions now, on all machines. @example 2 */
  workers: number;
  /**
   * By program: its version, or why no worker can use it; then its formats carry `available: false`.
   * @example { "ffmpeg": "5.1.6", "exiftool": "exiftool is not installed: run `npm run install:tools` (Debian), or put it in PATH." }
   */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  programs: Record<string, string>;
  /** What holds the programs in, on every machine that has a worker; null while there is none. */
  isolation: IsolationDetails | null;
  /**
   * Why workers that run make nothing; left out while all of them can.
   * @example ["A worker on app-1 makes no renditions. The temporary folder /tmp cannot be used. It cannot be written (EROFS)."]
   */
  problems?: string[];
}

export class StorageDetails {
  /**
   * Whether the bucket keeps versions, so that what was accepted stays what is delivered; `unknown`: the service lacks the right to ask.
   * @example "enabled"
   */
  versions: 'enabled' | 'suspended' | 'never' | 'unknown';
  /** The service may read versions. @example true */
  readable: boolean;
  /** What the operator has to change; left out where nothing is. */
  warnings?: string[];
}

export class ReadyDetails {
  /** PostgreSQL answers. @example "ok" */
  database: 'ok' | 'down';
  /** Changes by other processes are heard at once; while down, caches are bypassed. @example "ok" */
  notifications: 'ok' | 'down';
  /** What renditions are made with. Whatever is missing, the service is ready. Left out while the database is down. */
  converter?: ConverterDetails;
  /** The bucket. Left out while the storage does not answer. */
  storage?: StorageDetails;
}

export class ReadyResponse {
  /** degraded: requests are answered, but something does not work. @example "ok" */
  status: 'ok' | 'degraded' | 'down';
  /** Why it is degraded, as sentences for the operator; else left out. */
  reasons?: string[];
  /** What works, and is less safe than it could be, as sentences for the operator; else left out. */
  warnings?: string[];
  /** To callers on this machine and with METRICS_TOKEN only, like reasons and warnings. */
  details?: ReadyDetails;
}
