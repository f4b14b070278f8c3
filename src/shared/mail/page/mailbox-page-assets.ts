import { publishAssets } from '../../web/index.js';

const urlOf = publishAssets('mailbox', { files: { 'mailbox.css': new URL('./mailbox.css', import.meta.url) } });

/** What the pages of the mailbox load. */
export const mailboxPageAssets = { stylesheet: urlOf('mailbox.css') };
