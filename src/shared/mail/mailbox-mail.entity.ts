import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { OnErasure } from '../removal/index.js';

/** An e-mail that an installation without a mail server would have sent; `/dev/mail` shows it. */
@Entity('mailbox')
export class MailboxMail {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'mailbox_pkey' })
  id: string;

  /** Without angle brackets; a repeated e-mail is stored once. */
  @Index('mailbox_message_id_key', { unique: true })
  @Column('text')
  messageId: string;

  @Column('text')
  sender: string;

  @Column('text')
  recipient: string;

  @OnErasure('everywhere')
  @Column('text')
  subject: string;

  @OnErasure('everywhere')
  @Column('text')
  text: string;

  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  html: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
