import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A code that `deliver` issued; it can be exchanged once for a session. */
@Entity('dropsite_codes')
export class DropsiteCode {
  /** SHA-256 of the code. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'dropsite_codes_pkey' })
  codeHash: string;

  @Index('dropsite_codes_dropsite_id_idx')
  @ForeignKey('dropsites', { name: 'dropsite_codes_dropsite_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  dropsiteId: number;

  @Index('dropsite_codes_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
