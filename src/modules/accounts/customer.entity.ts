import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** An organisation; every resource belongs to one. */
@Entity('customers')
export class Customer {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'customers_pkey' })
  id: number;

  @Index('customers_name_key', { unique: true })
  @Column('text')
  name: string;

  /**
   * The name under which the operator declared the customer, once its own users have given it another; null: `name`. `apply` and the start find customers by
   * it, never by a name that a customer chose.
   */
  @Index('customers_declared_name_key', { unique: true })
  @Column('text', { nullable: true })
  declaredName: string | null;

  /** The organisation that runs the service; its users are the support staff. */
  @Column('boolean', { default: false })
  operator: boolean;

  /** The time until which support staff may act for this customer's users; null: they may not. */
  @Column('timestamptz', { nullable: true })
  supportAccessUntil: Date | null;

  /** Whether every person of the customer must have a second factor to sign in with a password. */
  @Column('boolean', { default: false })
  requireSecondFactor: boolean;

  /** Individual configuration of burned-in timecodes: its keys override those of a format, one by one. */
  @Column('jsonb', { nullable: true })
  burnTimecode: Record<string, unknown> | null;

  /** The version, which every change by a client increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
