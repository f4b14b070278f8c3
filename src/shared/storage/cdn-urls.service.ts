import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config/index.js';
import { ReadyDetailsService } from '../health/ready-details.service.js';
import { type CdnSigner, createCdnSigner } from './cdn-signers.js';
import { encodeKey } from './object-url.js';

/** A URL is reused for a fifth of its lifetime, so that browser caches recognize it and a signature is created only once. */
const PARTS_OF_LIFETIME = 5;
/** Maximum number of cached URLs; each takes about a kilobyte. */
const MAX_CACHED = 10_000;

/** Provides the URLs of objects at the CDN in front of the bucket, if there is one (docs/cdn.md). */
@Injectable()
export class CdnUrls implements OnModuleInit {
  private readonly signer: CdnSigner | null;
  private readonly urls = new Map<string, string>();
  /** The expiry of the cached URLs, in Unix seconds. */
  private expires = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly details: ReadyDetailsService,
  ) {
    this.signer = createCdnSigner(config);
  }

  onModuleInit(): void {
    const { mediaCdnUrl: url, mediaCdnSigner: signer, mediaUrlTtlSeconds: urlTtlSeconds } = this.config;
    if (this.signer && signer) this.details.register('cdn', async () => ({ url, signer, urlTtlSeconds }));
  }

  get isConfigured(): boolean {
    return this.signer !== null;
  }

  /** A URL that reads a version of an object from the CDN until it expires. Throws if no CDN is configured. */
  urlOf(key: string, version: string | null): string {
    if (!this.signer) throw new Error('There is no CDN.');
    const expires = this.nextEnd();
    if (expires !== this.expires || this.urls.size >= MAX_CACHED) this.urls.clear();
    this.expires = expires;
    const name = `${version ?? ''} ${key}`;
    const known = this.urls.get(name);
    if (known) return known;
    const url = this.signer.sign({ address: `${this.config.mediaCdnUrl}/${encodeKey(key)}`, version, expires });
    this.urls.set(name, url);
    return url;
  }

  /** At most one whole lifetime from now, because access is not checked again until then. */
  private nextEnd(): number {
    const { mediaUrlTtlSeconds } = this.config;
    const step = Math.floor(mediaUrlTtlSeconds / PARTS_OF_LIFETIME);
    const latest = Math.floor(this.clock.now().getTime() / 1_000) + mediaUrlTtlSeconds;
    return latest - (latest % step);
  }
}
