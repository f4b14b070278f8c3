import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A signature that was accepted for a change; it is not accepted again within its window, by any process. */
@Entity('used_signatures')
export class UsedSignature {
  /** `<access key> <hash>` */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'used_signatures_pkey' })
  signature: string;

  @Index('used_signatures_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
