import { userInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { AuditService, type RecordChange } from '../shared/audit/audit.service.js';
import { Database } from '../shared/database/index.js';
import type { Call, Work } from './command.js';

/** Writes the audit records of one command; used inside the transaction of the change. */
export class Trail {
  private readonly audit: AuditService;
  private readonly actor = operatorName();
  private readonly reason: string | undefined;

  /** `reword` is applied to the reason, which may name the person being erased. */
  constructor(service: INestApplicationContext, { options }: Pick<Call, 'options'>, reword = (reason: string) => reason) {
    this.audit = service.get(AuditService);
    this.reason = options.reason === undefined ? undefined : reword(options.reason);
  }

  /** `action` is `noun.verb`, `subject` is `noun:id` (user:17), so that the erasure of a person leaves no address here. */
  readonly record: RecordChange = async (action, subject, customerId) =>
    await this.audit.record({ action, actor: this.actor, subject, customerId, reason: this.reason });

  /** Writes one record for a new object, or one for each property that changed (`user.set_admin_level`). */
  async recordDeclaration(subject: string, before: object | null, after: object, customerId = customerOf(after)): Promise<void> {
    const noun = subject.slice(0, subject.indexOf(':'));
    if (!before) return await this.record(`${noun}.create`, subject, customerId);
    for (const property of changedProperties(before, after)) await this.record(`${noun}.set_${property}`, subject, customerId);
  }
}

/** The customer of a row; null for what belongs to none. */
const customerOf = (row: { readonly customerId?: number | null }): number | null => row.customerId ?? null;

/** Wraps work in one transaction, which also records the change in the audit trail. */
export const inTransaction =
  (call: Call, work: (service: INestApplicationContext, trail: Trail) => Promise<unknown>): Work =>
  async (service) =>
    await service.get(Database).transaction(async () => await work(service, new Trail(service, call)));

/** The properties that differ between two states of a row, in snake_case and without technical suffixes (`passwordHash` is `password`). */
export function changedProperties(before: object, after: object): string[] {
  const values = new Map(Object.entries(after));
  return Object.entries(before)
    .filter(([name, value]) => name !== 'updatedAt' && name !== 'version' && !isDeepStrictEqual(value, values.get(name)))
    .map(([name]) => plainName(name));
}

const plainName = (property: string): string =>
  property.replace(/(Hash|Id)$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The person who runs the command line, as the audit trail names them: `admin:` and the user of the operating system. */
function operatorName(): string {
  try {
    return `admin:${userInfo().username}`;
  } catch {
    return `admin:uid-${process.getuid?.() ?? 'unknown'}`; // a container's user often has no entry in /etc/passwd
  }
}

/** `admin audit`: prints line by line, because a trail of years does not fit into memory. */
export async function listAudit(): Promise<Work> {
  return async (service) => records(service.get(AuditService));
}

async function* records(audit: AuditService): AsyncGenerator<object> {
  for await (const { at, action, actor, onBehalfOf, subject, ids, reason } of audit.all()) {
    yield { at, action, actor, ...(onBehalfOf === null ? {} : { onBehalfOf }), subject, ...(ids && { ids }), reason };
  }
}
