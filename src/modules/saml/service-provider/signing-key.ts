import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { makeCertificate } from './make-certificate.js';
import { SamlKey } from './saml-key.entity.js';

const PURPOSE = 'saml key';
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
  ) {}

  async get(): Promise<CertifiedKey> {
    this.key ??= (await this.read()) ?? (await this.make());
    return this.key;
  }

  private async read(): Promise<CertifiedKey | null> {
    const stored = await this.database.repository(SamlKey).findOneBy({ id: ID });
    return stored && { privateKey: this.secrets.open(PURPOSE, stored.sealedPrivateKey), certificate: stored.certificate };
  }

  /** Of several processes at the same moment the first one's key counts. */
  private async make(): Promise<CertifiedKey> {
    const { privateKey, certificate } = await makeCertificate(new URL(this.config.publicUrl).host, this.clock.now());
    const sql = 'INSERT INTO saml_keys (id, sealed_private_key, certificate) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING';
    await this.database.query(sql, [ID, this.secrets.seal(PURPOSE, privateKey), certificate]);
    const stored = await this.read();
    if (!stored) throw new Error('The key was stored a moment ago.');
    return stored;
  }
}
