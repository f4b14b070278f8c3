import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { bearerToken } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { equalInConstantTime, SecretBoxService } from '../../../shared/secrets/index.js';
import { AccessKeysService, PrincipalsService } from '../../accounts/index.js';
import type { DeliveredLink } from '../../player-configurations/index.js';
import type { RefererPage } from '../decision/host-names.js';

/** As long as a film with a pause; the access key can be revoked at any time. */
export const EXTERNAL_TOKEN_TTL_SECONDS = 4 * 3_600;
const PASS_TTL_SECONDS = EXTERNAL_TOKEN_TTL_SECONDS;
/** Long enough that a page that is left open during a working day still plays. */
const ADMISSION_TTL_SECONDS = 12 * 3_600;
/** Admissions issued within one hour are equal, so that a reloaded page finds its files in the browser's cache. */
const ADMISSION_ROUND_SECONDS = 3_600;
/** Long enough for a sign-in with a forgotten password. */
const WAY_BACK_TTL_SECONDS = 3_600;

const EXTERNAL_TOKEN = { purpose: 'external authentication of viewers', form: /^(\d{1,12})\.([\w-]+)\.([\w-]{43})$/ };
const PASS = { purpose: 'pass of a signed-in viewer', form: /^viewer\.(\d{1,12})\.(\d{1,10})\.([\w-]{43})$/ };
const SEALED_TOKEN = { purpose: 'access token of a viewer', form: /^token\.([\w-]+)$/ };
const PLACE = /^(\d{1,12})\.([\w-]+)\.([\w-]{43})$/;
const ADMISSION = { purpose: 'admission of viewers of a page', ttlSeconds: ADMISSION_TTL_SECONDS };
const WAY_BACK = { purpose: 'host to which a sign-in returns', ttlSeconds: WAY_BACK_TTL_SECONDS };

/** A viewer who is admitted because of the page that shows the link. */
interface Admitted extends LinkViewer {
  readonly page: RefererPage;
}

interface LinkViewer {
  readonly link: string;
  /** The client address. */
  readonly address: string;
}

/** Issues and checks the tokens that viewers present instead of credentials. Each is signed with the secret of the service; nothing is stored. */
@Injectable()
export class ViewerTokensService {
  constructor(
    private readonly secrets: SecretBoxService,
    private readonly accessKeys: AccessKeysService,
    private readonly principals: PrincipalsService,
    private readonly clock: Clock,
  ) {}

  /** Issues `<expiry>.<access key>.<HMAC>` for a viewer of one link whom the owner of the access key, another server, has authenticated. */
  issueExternalToken({ link }: Pick<DeliveredLink, 'link'>, accessKey: string): string {
    const expiresAt = this.wholeSeconds() + EXTERNAL_TOKEN_TTL_SECONDS;
    const key = Buffer.from(accessKey).toString('base64url');
    return `${expiresAt}.${key}.${this.sign(EXTERNAL_TOKEN.purpose, [link, accessKey, expiresAt])}`;
  }

  /**
   * The access key of a valid external token for this link, which the request contains as `?auth=` base64(`<anything>:<token>`) or as a bearer token.
   * Null: it has none. The rule `extAuth` decides whether the configuration allows the key.
   */
  async findAccessKey(request: Request, link: DeliveredLink): Promise<string | null> {
    for (const token of [queryToken(request.query.auth), bearerToken(request)]) {
      const accessKey = token === null ? null : this.verifyExternalToken(token, link);
      if (accessKey !== null && (await this.isActive(accessKey, link))) return accessKey;
    }
    return null;
  }

  /**
   * Issues `viewer.<expiry>.<user>.<HMAC>` as a value of the query parameter `auth`, for a user of the customer who signed in in a window that passes
   * it to a frame. Login session cookies do not reach frames in pages of other sites. It is valid for one link and one client address.
   */
  issuePass({ link }: Pick<DeliveredLink, 'link'>, userId: number, address: string): string {
    const expiresAt = this.wholeSeconds() + PASS_TTL_SECONDS;
    const token = `viewer.${expiresAt}.${userId}.${this.sign(PASS.purpose, [link.toLowerCase(), address, userId, expiresAt])}`;
    return Buffer.from(`:${token}`).toString('base64url');
  }

  /** Whether a request contains a valid pass of a user who may still act for the customer of the link. */
  async hasPass(request: Request, { link, customerId }: DeliveredLink): Promise<boolean> {
    const [, expiry, id, mac = ''] = PASS.form.exec(queryToken(request.query.auth) ?? '') ?? [];
    if (expiry === undefined || Number(expiry) <= this.wholeSeconds()) return false;
    const { clientAddress } = request.context;
    const signed = this.sign(PASS.purpose, [link.toLowerCase(), clientAddress, Number(id), Number(expiry)]);
    return equalInConstantTime(mac, signed) && (await this.principals.find(Number(id)))?.customerId === customerId;
  }

  /**
   * Issues `token.<sealed access token>` as a value of the query parameter `auth`: the access token of the request for a playlist, for the addresses
   * in the playlist. Players request these without the header, and a URL must not contain the token itself. It is valid for one link, and expires
   * with the token.
   */
  sealAccessToken({ link }: Pick<DeliveredLink, 'link'>, token: string): string {
    const sealed = Buffer.from(this.secrets.seal(SEALED_TOKEN.purpose, `${link.toLowerCase()} ${token}`), 'base64').toString('base64url');
    return Buffer.from(`:token.${sealed}`).toString('base64url');
  }

  /** The access token that `sealAccessToken` put into an address of this link; null: the request has none. The token may have expired. */
  openAccessToken(request: Request, { link }: Pick<DeliveredLink, 'link'>): string | null {
    const [, sealed] = SEALED_TOKEN.form.exec(queryToken(request.query.auth) ?? '') ?? [];
    const [bound, token] = (sealed === undefined ? null : this.secrets.tryOpen(SEALED_TOKEN.purpose, sealed))?.plain.split(' ') ?? [];
    return bound === link.toLowerCase() && token !== undefined ? token : null;
  }

  /**
   * Issues `<expiry>.<page>.<HMAC>` for a player that was admitted because of the page around it, but whose further requests may not name that page.
   * With an admission they count as requests of that page, for this link and from this client address; the rule `matchReferer` still decides about
   * the page.
   */
  issueAdmission({ page, ...viewer }: Admitted): string {
    return this.issuePlace(ADMISSION, viewer, `${page.host}:${page.port}`);
  }

  /** The page in a valid admission; null: the token is not valid for this link and this address. */
  findAdmittedPage(token: string, viewer: LinkViewer): RefererPage | null {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(this.findPlace(ADMISSION, viewer, token) ?? '') ?? [];
    return host === '' ? null : { host, port };
  }

  /**
   * Issues `<expiry>.<host>.<HMAC>` for a viewer who asked for a link on `host` (a Host header) and goes to the sign-in on the host of PUBLIC_URL. It
   * proves that the link was requested there from this client address; the sign-in returns to no other host.
   */
  issueWayBack(viewer: LinkViewer, host: string): string {
    return this.issuePlace(WAY_BACK, viewer, host);
  }

  /** The host in a valid way back; null: the token is not valid for this link and this address. */
  findWayBack(token: unknown, viewer: LinkViewer): string | null {
    return typeof token === 'string' ? this.findPlace(WAY_BACK, viewer, token) : null;
  }

  private issuePlace({ purpose, ttlSeconds }: typeof ADMISSION, { link, address }: LinkViewer, place: string): string {
    const expires = Math.ceil((this.seconds() + ttlSeconds) / ADMISSION_ROUND_SECONDS) * ADMISSION_ROUND_SECONDS;
    return `${expires}.${Buffer.from(place).toString('base64url')}.${this.sign(purpose, [link.toLowerCase(), address, place, expires])}`;
  }

  private findPlace({ purpose }: typeof ADMISSION, { link, address }: LinkViewer, token: string): string | null {
    const [, expires = '', name = '', mac = ''] = PLACE.exec(token) ?? [];
    const place = Buffer.from(name, 'base64url').toString();
    const isOurs = this.isSigned(mac, purpose, [link.toLowerCase(), address, place, Number(expires)]);
    return isOurs && Number(expires) > this.seconds() ? place : null;
  }

  private verifyExternalToken(token: string, { link }: DeliveredLink): string | null {
    const [, expiry, key = '', mac = ''] = EXTERNAL_TOKEN.form.exec(token) ?? [];
    if (expiry === undefined) return null;
    const accessKey = Buffer.from(key, 'base64url').toString();
    const isOurs = this.isSigned(mac, EXTERNAL_TOKEN.purpose, [link, accessKey, Number(expiry)]);
    return isOurs && Number(expiry) > this.wholeSeconds() ? accessKey : null;
  }

  /** Whether the key exists and its user may still act for the customer of the link. */
  private async isActive(accessKey: string, { customerId }: DeliveredLink): Promise<boolean> {
    const key = await this.accessKeys.find(accessKey);
    const user = key && (await this.principals.find(key.userId));
    return user?.customerId === customerId;
  }

  private sign(purpose: string, parts: readonly (string | number)[]): string {
    return this.secrets.mac(purpose, JSON.stringify(parts)).toString('base64url');
  }

  private isSigned(mac: string, purpose: string, parts: readonly (string | number)[]): boolean {
    return this.secrets.isMac(mac, { purpose, value: JSON.stringify(parts), encoding: 'base64url' });
  }

  private wholeSeconds(): number {
    return Math.floor(this.seconds());
  }

  private seconds(): number {
    return this.clock.now().getTime() / 1_000;
  }
}

/** The token in the query parameter `auth`: the text after the last colon; both base64 and base64url are accepted. */
export function queryToken(auth: unknown): string | null {
  if (typeof auth !== 'string' || auth === '') return null;
  const text = Buffer.from(auth.replaceAll(' ', '+'), 'base64').toString(); // a plus that was not escaped arrives as a space
  return text.includes(':') ? text.slice(text.lastIndexOf(':') + 1) : null;
}
