export class LiveResponse {
  /** @example "ok" */
  status: 'ok';
}

export class ReadyDetails {
  /** PostgreSQL answers. @example "ok" */
  database: 'ok' | 'down';
  /** Changes by other processes are heard at once; while down, caches are bypassed. @example "ok" */
  notifications: 'ok' | 'down';
}

export class ReadyResponse {
  /** @example "ok" */
  status: 'ok' | 'down';
  details: ReadyDetails;
}
