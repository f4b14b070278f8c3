/** A mail server as SMTP_URL names it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps://). */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The text without the password, plain or as SMTP encodes it, in case the server repeats what it was told. */
  hide(text: string): string;
}

/** Submission (RFC 6409), with TLS from the first byte (RFC 8314 section 3.3). */
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Reads `smtps://user:password@mail.example.org:465`, user and password percent-encoded. Anything behind the host is ignored. */
export function smtpServerOf(smtpUrl: string): SmtpServer {
  const url = new URL(smtpUrl);
  const [user, pass] = [decode(url.username), decode(url.password)];
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (PORTS[url.protocol] ?? 587),
    secure: url.protocol === 'smtps:',
    ...(user && { auth: { user, pass } }),
    hide: (text) => spellings(user, pass).reduce((rest, secret) => rest.replaceAll(secret, '***'), text),
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The longest first: of what holds another one nothing may stay. */
const spellings = (user: string, pass: string): string[] => (pass ? [base64(`\0${user}\0${pass}`), base64(pass), pass] : []);

/** A percent sign that encodes nothing is one of the password. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
