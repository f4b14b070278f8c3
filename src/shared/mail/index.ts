export { MailboxMail } from './mailbox-mail.entity.js';
export { type Mail, Mailer, type MailOutcome } from './mailer.js';
