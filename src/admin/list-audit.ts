import { Audit } from '../shared/audit/index.js';
import type { Work } from './command.js';

/** `admin audit`: line by line, because a trail of years does not fit into memory. */
export async function listAudit(): Promise<Work> {
  return async (service) => records(service.get(Audit));
}

async function* records(audit: Audit): AsyncGenerator<object> {
  for await (const { at, action, actor, onBehalfOf, subject, reason } of audit.all()) {
    yield { at, action, actor, ...(onBehalfOf === null ? {} : { onBehalfOf }), subject, reason };
  }
}
