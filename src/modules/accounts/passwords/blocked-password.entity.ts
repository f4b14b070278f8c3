import { Entity, PrimaryColumn } from 'typeorm';

/** A password on the operator's block list. Ten million take about 700 MB; the passwords themselves are not stored. */
@Entity('blocked_passwords')
export class BlockedPassword {
  /** The first 64 bits of the SHA-256 of the password in NFC and lower case: with ten million entries, one password in 10^12 is refused by chance. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'blocked_passwords_pkey' })
  fingerprint: string;
}
