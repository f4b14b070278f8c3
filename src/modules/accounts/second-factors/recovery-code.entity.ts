import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** One code of a set of recovery codes. */
@Entity('recovery_codes')
export class RecoveryCode {
  /** The set, a second factor of the kind `recovery_codes`. */
  @ForeignKey('second_factors', { name: 'recovery_codes_second_factor_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'recovery_codes_pkey' })
  secondFactorId: number;

  /** From 1, as the person sees them. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'recovery_codes_pkey' })
  position: number;

  /** argon2id in PHC format. */
  @Column('text')
  codeHash: string;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
