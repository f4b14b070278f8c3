import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Every quota with its default, and what it limits in words. `daily`: what is used counts until the end of the day in UTC. */
export const QUOTAS = {
  formats: { limit: 1_000, daily: false, words: 'formats' },
  playerConfigurations: { limit: 10_000, daily: false, words: 'player configurations' },
  subscriptions: { limit: 1_000, daily: false, words: 'subscriptions' },
  dropsites: { limit: 1_000, daily: false, words: 'dropsites' },
  downloadLinks: { limit: 100_000, daily: false, words: 'download links' },
  waitingRuns: { limit: 100_000, daily: false, words: 'runs of subscriptions that have not ended' },
  waitingTranscodings: { limit: 100_000, daily: false, words: 'transcodings that have not ended' },
  mailsPerDay: { limit: 1_000, daily: true, words: 'e-mails a day' },
  anonymousUploadBytesPerDay: { limit: 1024 ** 4, daily: true, words: 'bytes a day from anonymous senders of dropsites' },
} as const;

export type QuotaName = keyof typeof QUOTAS;

export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** The quotas that a day resets. */
export type DailyQuota = { [Name in QuotaName]: (typeof QUOTAS)[Name]['daily'] extends true ? Name : never }[QuotaName];

/** The quotas of what a customer has at a moment. */
export type ResourceQuota = Exclude<QuotaName, DailyQuota>;

/** What an operator declares for a customer: null means the default again, an absent name leaves what is there. */
export type QuotaDeclaration = { readonly [Name in QuotaName]?: number | null };

export interface QuotaUsage {
  readonly limit: number;
  readonly used: number;
}

const toNumber = { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number | null) => value };

/** What differs from the defaults for one quota of a customer, and what it has used of a quota that is counted by days. */
@Entity('quotas')
export class Quota {
  @ForeignKey('customers', { name: 'quotas_customer_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'quotas_pkey' })
  customerId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'quotas_pkey' })
  name: QuotaName;

  /** As the operator declared it; null: the default. */
  @Column('bigint', { name: 'max', nullable: true, transformer: toNumber })
  limit: number | null;

  /** The day in UTC of which `used` counts; null: nothing was counted yet. */
  @Column('date', { nullable: true })
  day: string | null;

  /** What was used on that day. Quotas of resources are counted from the resources themselves. */
  @Column('bigint', { default: 0, transformer: toNumber })
  used: number;
}
