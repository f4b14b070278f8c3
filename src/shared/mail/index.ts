export { MailModule } from './mail.module.js';
export { MailboxMail } from './mailbox-mail.entity.js';
export { countMail, MAIL_REASONS, type Mail, Mailer, type MailOutcome } from './mailer.port.js';
