import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { contentMark, type PictureItem } from '../../media/index.js';

const PURPOSE = 'preview of a media item';
const TICKET = /^(\d{1,10})\.(\d{1,11})\.([\w-]{43})$/;
/** A ticket is valid for 30 to 60 minutes: lists that are read within half an hour have the same ones, so that browsers cache the pictures. */
const MIN_SECONDS = 1_800;
const ROUND_SECONDS = 1_800;

type Previewed = Pick<PictureItem, 'id' | 'customerId' | 'etag' | 'version'>;

/** A ticket as it was sent; it may be forged. */
export interface ReadTicket {
  readonly mediaId: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly mac: string;
}

/** Issues and checks the tickets in the URLs of previews. Each is signed with the secret of the service; nothing is stored. */
@Injectable()
export class PreviewTicketsService {
  constructor(
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
  ) {}

  /** Issues `<media item>.<expiry>.<HMAC>`; the HMAC covers the content, so that a replaced file has another URL. */
  issue(item: Previewed): { readonly ticket: string; readonly expiresAt: Date } {
    // The rounds of pictures begin at different times, so that not all of them are loaded again at once.
    const offset = (item.id * 61) % ROUND_SECONDS;
    const rounds = Math.ceil((this.seconds() + MIN_SECONDS - offset) / ROUND_SECONDS);
    const expiresAt = rounds * ROUND_SECONDS + offset;
    const mac = this.secrets.mac(PURPOSE, signed(item, expiresAt)).toString('base64url');
    return { ticket: `${item.id}.${expiresAt}.${mac}`, expiresAt: new Date(expiresAt * 1_000) };
  }

  /** Reads a ticket; null: it is malformed or has expired. `isFor` decides whether it is genuine. */
  read(text: string): ReadTicket | null {
    const [, mediaId, expiresAt, mac = ''] = TICKET.exec(text) ?? [];
    if (mediaId === undefined || Number(expiresAt) <= this.seconds()) return null;
    return { mediaId: Number(mediaId), expiresAt: Number(expiresAt), mac };
  }

  /** Whether the service has issued a ticket for this item in its current content. */
  isFor(item: Previewed, { expiresAt, mac }: ReadTicket): boolean {
    return this.secrets.isMac(mac, { purpose: PURPOSE, value: signed(item, expiresAt), encoding: 'base64url' });
  }

  private seconds(): number {
    return this.clock.now().getTime() / 1_000;
  }
}

const signed = (item: Previewed, expiresAt: number): string => JSON.stringify([item.customerId, item.id, contentMark(item), expiresAt]);
