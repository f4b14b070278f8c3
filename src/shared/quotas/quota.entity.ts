import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * Every quota with its default and a description. `daily`: usage is counted until the end of the day in UTC. `drains`: usage falls by itself, as
 * work is done.
 */
export const QUOTAS = {
  formats: { limit: 1_000, daily: false, words: 'formats' },
  playerConfigurations: { limit: 10_000, daily: false, words: 'player configurations' },
  subscriptions: { limit: 1_000, daily: false, words: 'subscriptions' },
  dropsites: { limit: 1_000, daily: false, words: 'dropsites' },
  downloadLinks: { limit: 100_000, daily: false, words: 'download links' },
  waitingRuns: { limit: 100_000, daily: false, drains: true, words: 'runs of subscriptions that have not ended' },
  waitingTranscodings: { limit: 100_000, daily: false, drains: true, words: 'transcodings that have not ended' },
  mailsPerDay: { limit: 1_000, daily: true, words: 'e-mails a day' },
  anonymousUploadBytesPerDay: { limit: 1024 ** 4, daily: true, words: 'bytes a day from anonymous senders of dropsites' },
} as const satisfies Record<string, { limit: number; daily: boolean; drains?: true; words: string }>;

export type QuotaName = keyof typeof QUOTAS;

export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** The quotas that are reset every day. */
export type DailyQuota = { [Name in QuotaName]: (typeof QUOTAS)[Name]['daily'] extends true ? Name : never }[QuotaName];

/** The quotas on the resources that a customer currently has. */
export type ResourceQuota = Exclude<QuotaName, DailyQuota>;

/** An operator's declaration for a customer: null restores the default, an absent name leaves the quota unchanged. */
export type QuotaDeclaration = { readonly [Name in QuotaName]?: number | null };

export interface QuotaUsage {
  readonly limit: number;
  readonly used: number;
}

const toNumber = { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number | null) => value };

/** A customer's deviation from the default of one quota, and the usage of a daily quota. */
@Entity('quotas')
export class Quota {
  @ForeignKey('customers', { name: 'quotas_customer_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'quotas_pkey' })
  customerId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'quotas_pkey' })
  name: QuotaName;

  /** The limit that the operator declared; null: the default. */
  @Column('bigint', { name: 'max', nullable: true, transformer: toNumber })
  limit: number | null;

  /** The UTC day to which `used` refers; null: nothing has been counted yet. */
  @Column('date', { nullable: true })
  day: string | null;

  /** The usage on that day. Resource quotas are counted from the resources themselves. */
  @Column('bigint', { default: 0, transformer: toNumber })
  used: number;
}
