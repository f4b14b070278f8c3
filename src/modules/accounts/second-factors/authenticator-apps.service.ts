import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import QRCode from 'qrcode';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, isUniqueViolation } from '../../../shared/database/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { accountsErrors } from '../accounts.errors.js';
import type { Occasion } from '../mails/account-mails.service.js';
import type { User } from '../user.entity.js';
import { type SecondFactor, TOTP_SECRET } from './second-factor.entity.js';
import { SecondFactorChangesService } from './second-factor-changes.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { base32, matchingStep, otpauthUrl, TOTP_SECRET_BYTES } from './totp.js';

/** What a person needs to set up an authenticator app. */
export interface Enrolment {
  /** The secret in base32, in groups of four characters. */
  readonly secret: string;
  /** The same for apps on this device: an `otpauth:` address. */
  readonly url: string;
  /** The same as a QR code: its width in modules with the quiet zone, and the dark modules as the path of an SVG. */
  readonly qrCode: { readonly width: number; readonly path: string };
}

/** Enrols authenticator apps and checks their codes (RFC 6238). `subject` names the sign-in or session that an enrolment belongs to. */
@Injectable()
export class AuthenticatorAppsService {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly factors: SecondFactorsRepository,
    private readonly secrets: SecretBoxService,
    private readonly changes: SecondFactorChangesService,
    private readonly clock: Clock,
  ) {}

  /** Creates a secret, which replaces that of an enrolment of the same person and `subject` that was not finished. */
  async startEnrolment({ id: userId }: Pick<User, 'id'>, subject: string): Promise<void> {
    const sealedSecret = this.secrets.seal(TOTP_SECRET, randomBytes(TOTP_SECRET_BYTES).toString('base64'));
    await this.database.transaction(async () => await this.factors.startEnrolment({ userId, subject, sealedSecret }));
  }

  /** Describes the enrolment in progress; null without one. */
  async describeEnrolment({ id, email }: Pick<User, 'id' | 'email'>, subject: string): Promise<Enrolment | null> {
    const unbound = await this.factors.findUnbound(id, subject);
    if (!unbound) return null;
    const secret = this.secretOf(unbound);
    const url = otpauthUrl(secret, { issuer: this.config.serviceName, account: email });
    return { secret: base32(secret).replaceAll(/.{4}(?=.)/g, '$& '), url, qrCode: drawQrCode(url) };
  }

  /**
   * Binds the app of the enrolment in progress to the person, who proves with a code that it works. The code counts as used.
   * @throws DomainError 401 `second_factor_failed`, 409 `authenticator_exists`, 410 `enrolment_expired`
   */
  async bind(
    user: Pick<User, 'id' | 'customerId'>,
    subject: string,
    { code, occasion }: { readonly code: string; readonly occasion: Occasion },
  ): Promise<void> {
    const unbound = await this.factors.findUnbound(user.id, subject);
    if (!unbound) throw accountsErrors.enrolment_expired('The setup has expired. Start again.');
    const now = this.clock.now();
    const step = matchingStep(this.secretOf(unbound), code.replaceAll(/\s/g, ''), now);
    if (step === null) {
      throw accountsErrors.second_factor_failed(
        'The code is not correct. Enter the code that the app shows now, and check the clock of its device.',
      );
    }
    try {
      await this.database.transaction(async () => {
        if (!(await this.factors.bind(unbound.id, { lastStep: step, now }))) throw exists();
        await this.changes.record('authenticator-added', user, { occasion, bound: unbound.id });
      });
    } catch (error) {
      throw isUniqueViolation(error) ? exists() : error;
    }
  }

  /** Whether this is a code of the app that was not used before. */
  async verify(app: SecondFactor, code: string): Promise<boolean> {
    const now = this.clock.now();
    const step = matchingStep(this.secretOf(app), code, now);
    return step !== null && (await this.factors.markStepUsed(app.id, { step, now }));
  }

  private secretOf({ sealedSecret }: SecondFactor): Buffer {
    const opened = this.secrets.tryOpen(TOTP_SECRET, sealedSecret ?? '');
    if (opened) return Buffer.from(opened.plain, 'base64');
    throw accountsErrors.authenticator_unreadable(
      'The secret of the authenticator app cannot be read. Use another second factor, and inform the operator.',
    );
  }
}

/** ISO/IEC 18004 requires a quiet zone of four modules. */
const QUIET_ZONE = 4;

function drawQrCode(text: string): Enrolment['qrCode'] {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
  const squares = Array.from(modules.data, (isDark, at) => {
    const [x, y] = [(at % modules.size) + QUIET_ZONE, Math.floor(at / modules.size) + QUIET_ZONE];
    return isDark ? `M${x} ${y}h1v1h-1z` : '';
  });
  return { width: modules.size + 2 * QUIET_ZONE, path: squares.join('') };
}

const exists = () => accountsErrors.authenticator_exists('There is an authenticator app already. Remove it first.');
