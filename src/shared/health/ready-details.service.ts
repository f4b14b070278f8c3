import { Injectable } from '@nestjs/common';
import { Log } from '../logging/index.js';
import type { ReadyDetails } from './health.dto.js';

/** The details that modules contribute; the kernel adds the rest. */
type FurtherDetails = Required<Omit<ReadyDetails, 'version' | 'database' | 'notifications' | 'checks'>>;

/** Details of readiness that modules contribute. Whether the process is ready does not depend on them. */
@Injectable()
export class ReadyDetailsService {
  private readonly sources = new Map<keyof FurtherDetails, () => Promise<object | null>>();

  constructor(private readonly log: Log) {}

  /** Registers a detail; register before the application starts. Null means that there is nothing to report at the moment. */
  register<Name extends keyof FurtherDetails>(name: Name, ask: () => Promise<FurtherDetails[Name] | null>): void {
    this.sources.set(name, ask);
  }

  /** All details; those that cannot be read are omitted. */
  async all(): Promise<Partial<FurtherDetails>> {
    const asked = [...this.sources].map(async ([name, ask]) => [name, await ask()] as const);
    const answers = await Promise.allSettled(asked);
    for (const answer of answers)
      if (answer.status === 'rejected') this.log.warn({ err: answer.reason }, 'cannot read a detail of readiness');
    return Object.fromEntries(answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value[1] ? [answer.value] : [])));
  }
}
