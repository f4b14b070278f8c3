/** A sender's name (empty: none) and address. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** `Media, Inc. <media@example.org>` (MAIL_FROM) in its two parts. A parser of address lists would take the comma for the end of an address. */
export function senderOf(mailFrom: string): Sender {
  const [, name = '', address = mailFrom] = /^(.*)<([^<>]*)>\s*$/s.exec(mailFrom) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/s, '$1'), address: address.trim() };
}
