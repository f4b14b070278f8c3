import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

export class LiveResponse {
  /** @example "ok" */
  status: 'ok';
}

export class IsolationDetails {
  /** Memory, processor time, files and processes of programs are limited. @example true */
  limits: boolean;
  /** Programs have no network. @example true */
  network: boolean;
  /** Processes that a program starts end with it. @example true */
  processes: boolean;
  /** Programs see a read-only root directory of programs, libraries and fonts, and can write only to the folder of their job. @example true */
  files: boolean;
  /** Programs run as another user. @example true */
  user: boolean;
  /** Programs have no privileges and cannot gain any. @example true */
  privileges: boolean;
}

export class ConverterDetails {
  /** The number of workers that make renditions now, on all machines. @example 2 */
  workers: number;
  /**
   * By program: its version, or why no worker can use it; its formats then have `available: false`.
   * @example { "ffmpeg": "5.1.6", "exiftool": "exiftool is not installed: run `npm run install:tools` (Debian), or put it in PATH." }
   */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  programs: Record<string, string>;
  /**
   * What makes images on the machines with workers: `sharp`, which the service includes, and `imagemagick`, which draws what sharp does not have.
   * Absent if no worker makes images.
   * @example ["imagemagick", "sharp"]
   */
  imageEngines?: string[];
  /** The isolation that every machine with a worker provides; null without a worker. */
  isolation: IsolationDetails | null;
  /**
   * Why running workers cannot make renditions; absent if all of them can.
   * @example ["A worker on app-1 makes no renditions. The temporary folder /tmp cannot be used. It cannot be written (EROFS)."]
   */
  problems?: string[];
}

export class StorageDetails {
  /**
   * Whether the bucket keeps versions, so that the accepted version of a file is delivered; `unknown`: the service has no permission to read this.
   * @example "enabled"
   */
  versions: 'enabled' | 'suspended' | 'never' | 'unknown';
  /** Whether the service has permission to read versions. @example true */
  readable: boolean;
  /** The changes that the operator must make; absent if none is needed. */
  warnings?: string[];
}

export class CdnDetails {
  /** Where viewers get media. @example "https://media.example.org" */
  url: string;
  /** The component that checks the tokens of the URLs. @example "nginx" */
  signer: 'nginx' | 'bunny' | 'cloudfront';
  /** Seconds after which a URL no longer works. @example 3600 */
  urlTtlSeconds: number;
}

/**
 * The parts that are checked: the object storage, its security token service, the mail server, the collector of traces, the disks and the clock of the machine, workers
 * for background jobs, workers that make renditions, and workers with the programs that waiting transcodings need.
 */
const CHECK_NAMES = ['storage', 'sts', 'mail', 'collector', 'disk', 'clock', 'jobs', 'converter', 'renditions'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export class CheckDetails {
  /** unknown: not checked yet since the start of the process. @example "ok" */
  status: 'ok' | 'failing' | 'unknown';
  /** When the part was checked; absent before the first time. @example "2026-01-31T12:00:00.000Z" */
  checkedAt?: string;
  /** Why it fails, as a sentence for the operator. @example "The object storage s3.example.org does not answer (ECONNREFUSED)." */
  reason?: string;
  /** The time of the first check in the current series of failures. @example "2026-01-31T11:58:20.000Z" */
  since?: string;
}

@ApiExtraModels(CheckDetails)
export class ReadyDetails {
  /** The version of the service (CHANGELOG.md). @example "1.1.0" */
  version: string;
  /** read_only: PostgreSQL answers but accepts no writes, as a replica does. @example "ok" */
  database: 'ok' | 'down' | 'read_only';
  /** Notifications of changes by other processes; while they are down, caches are bypassed. @example "ok" */
  notifications: 'ok' | 'down';
  /** The programs that make renditions. The service is ready even if programs are missing. Absent while the database is down. */
  converter?: ConverterDetails;
  /** The bucket. Absent while the storage does not answer. */
  storage?: StorageDetails;
  /** The CDN in front of the bucket. Absent without one. */
  cdn?: CdnDetails;
  /** By part: `storage`, `sts`, `mail`, `collector`, `disk`, `clock`, `jobs`, `converter`, `renditions`; a part that this installation does not use is absent. Absent while the database is down. */
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(CheckDetails) } })
  checks?: Partial<Record<CheckName, CheckDetails>>;
}

export class ReadyResponse {
  /** degraded: requests are answered, but something does not work. @example "ok" */
  status: 'ok' | 'degraded' | 'down';
  /** The reasons for `degraded`, or for `down` while the database answers, as sentences for the operator; otherwise absent. */
  reasons?: string[];
  /** Parts that work but are less safe than possible, and parts that fail without harm to requests (mail, the collector of traces), as sentences for the operator; absent if there are none. */
  warnings?: string[];
  /** Only for callers on this machine and those with METRICS_TOKEN, like reasons and warnings. */
  details?: ReadyDetails;
}
