import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A signature that was accepted. Within its window, no process accepts it for another method, or again for a method other than GET. */
@Entity('used_signatures')
export class UsedSignature {
  /** `<access key> <hash>` */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'used_signatures_pkey' })
  signature: string;

  /** The method of its first use, in upper case; null: the previous version of the service wrote the row. */
  @Column('text', { nullable: true })
  method: string | null;

  @Index('used_signatures_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
