import { userInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { Audit } from '../shared/audit/index.js';
import type { Call } from './command.js';

/** What this call of the command line leaves in the audit trail; used inside the transaction of the change. */
export class Trail {
  private readonly audit: Audit;
  private readonly actor = operatorName();
  private readonly reason: string | undefined;

  constructor(service: INestApplicationContext, { options }: Pick<Call, 'options'>) {
    this.audit = service.get(Audit);
    this.reason = options.reason;
  }

  /** `action` is `noun.verb`, `subject` is `noun:name` (user:ada@example.org). */
  async record(action: string, subject: string): Promise<void> {
    await this.audit.record({ action, actor: this.actor, subject, reason: this.reason });
  }

  /** One record for what is new, one for each property that changed (`user.set_admin_level`), none for what stayed as it was. */
  async recordDeclaration(subject: string, before: object | null, after: object): Promise<void> {
    const noun = subject.slice(0, subject.indexOf(':'));
    if (!before) return await this.record(`${noun}.create`, subject);
    for (const property of changedProperties(before, after)) await this.record(`${noun}.set_${property}`, subject);
  }
}

/** The properties that differ between two states of a row, in snake_case and in plain words (`passwordHash` is `password`). */
export function changedProperties(before: object, after: object): string[] {
  const values = new Map(Object.entries(after));
  return Object.entries(before)
    .filter(([name, value]) => name !== 'updatedAt' && !isDeepStrictEqual(value, values.get(name)))
    .map(([name]) => plainName(name));
}

const plainName = (property: string): string =>
  property.replace(/(Hash|Id)$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Who runs the command line, as the audit trail names them: `admin:` and the user of the operating system. */
function operatorName(): string {
  try {
    return `admin:${userInfo().username}`;
  } catch {
    return `admin:uid-${process.getuid?.() ?? 'unknown'}`; // a container's user often has no entry in /etc/passwd
  }
}
