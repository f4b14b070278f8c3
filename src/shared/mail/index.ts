export { isMailAddress } from './is-mail-address.js';
export { MailModule } from './mail.module.js';
export { MailboxMail } from './mailbox-mail.entity.js';
export { type Mail, Mailer, type MailOutcome } from './mailer.js';
