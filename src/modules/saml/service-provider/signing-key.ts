import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { samlError } from '../saml.errors.js';
import { makeCertificate } from './make-certificate.js';
import { SAML_PRIVATE_KEY, SamlKey } from './saml-key.entity.js';

const ID = 1;

/** A private key with its certificate, both in PEM. */
export interface CertifiedKey {
  readonly privateKey: string;
  readonly certificate: string;
}

/** The key with which AuthnRequests are signed: made when it is first needed, and kept encrypted in the database for all processes. */
@Injectable()
export class SamlSigningKey {
  private key: CertifiedKey | null = null;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws `saml_key_unreadable`. */
  async get(): Promise<CertifiedKey> {
    this.key ??= (await this.read()) ?? (await this.make());
    return this.key;
  }

  private async read(): Promise<CertifiedKey | null> {
    const stored = await this.database.repository(SamlKey).findOneBy({ id: ID });
    if (!stored) return null;
    const opened = this.secrets.tryOpen(SAML_PRIVATE_KEY, stored.sealedPrivateKey);
    if (opened) return { privateKey: opened.plain, certificate: stored.certificate };
    this.log.error('the key that signs SAML requests was encrypted under another APP_SECRET: add that one to APP_SECRET_PREVIOUS');
    throw samlError('saml_key_unreadable');
  }

  /** Of several processes at the same moment the first one's key counts. */
  private async make(): Promise<CertifiedKey> {
    const { privateKey, certificate } = await makeCertificate(new URL(this.config.publicUrl).host, this.clock.now());
    const sql = 'INSERT INTO saml_keys (id, sealed_private_key, certificate) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING';
    await this.database.query(sql, [ID, this.secrets.seal(SAML_PRIVATE_KEY, privateKey), certificate]);
    const stored = await this.read();
    if (!stored) throw new Error('The key was stored a moment ago.');
    return stored;
  }
}
