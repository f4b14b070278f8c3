import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';
import type { EventMethod, EventName } from '../../shared/events/index.js';
import { OnErasure } from '../../shared/removal/index.js';
import { Sealed } from '../../shared/secrets/index.js';

/** The purposes for which SecretBoxService derives keys. */
export const SUBSCRIPTION_INSTRUCTIONS = 'subscription instructions';
export const SUBSCRIPTION_SIGNING_SECRET = 'subscription signing secret';

/** How often a subscription acts: at every matching event, or until its instructions have succeeded once. */
export const FLAGS = { recurring: 0, once: 2 } as const;

/** A subscription: what happens after an event. Every part that may contain a secret is stored encrypted. */
@Entity('subscriptions')
@Check('subscriptions_flag_check', 'flag IN (0, 2)')
@Index('subscriptions_customer_id_idx', ['customerId', 'id'])
@Index('subscriptions_match_idx', ['customerId', 'name'], { where: 'processed_at IS NULL' })
export class Subscription {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'subscriptions_pkey' })
  id: number;

  @ForeignKey('customers', { name: 'subscriptions_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Index('subscriptions_creator_id_idx')
  @ForeignKey('users', { name: 'subscriptions_creator_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  creatorId: number;

  /** The user whose current rights its api instructions have. */
  @Index('subscriptions_last_editor_id_idx')
  @ForeignKey('users', { name: 'subscriptions_last_editor_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  lastEditorId: number;

  @Column('text')
  name: EventName;

  /** See FLAGS. */
  @Column('smallint')
  flag: number;

  /** `conditions.methods`; null: every method. */
  @Column('text', { array: true, nullable: true })
  methods: EventMethod[] | null;

  /** `conditions.payload`, a subset of the event's payload; null: any payload. */
  @OnErasure('never')
  @Column('jsonb', { nullable: true })
  payload: Record<string, unknown> | null;

  /**
   * Instruction[] as JSON, sealed, because headers and payloads may contain secrets (see SubscriptionSecretsService). In e-mails these members
   * contain words; elsewhere a part of a name may be a part of a URL, a method or a header.
   */
  @Sealed(SUBSCRIPTION_INSTRUCTIONS)
  @Column('text')
  instructions: string;

  /** The lane of each instruction (see laneOf). */
  @Column('text', { array: true })
  lanes: string[];

  /** `whsec_…`, sealed. */
  @Sealed(SUBSCRIPTION_SIGNING_SECRET)
  @Column('text')
  signingSecret: string;

  @Column('text', { default: '' })
  notes: string;

  /** Status code of the last attempt; null: there was no attempt. */
  @Column('integer', { nullable: true })
  lastExecutedStatus: number | null;

  /** When a subscription that acts once succeeded. */
  @Column('timestamptz', { nullable: true })
  processedAt: Date | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  /** When it was last created or replaced. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
