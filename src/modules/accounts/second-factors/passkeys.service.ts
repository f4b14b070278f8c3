import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, isUniqueViolation } from '../../../shared/database/index.js';
import { asDomainError } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { accountsErrors } from '../accounts.errors.js';
import type { Occasion } from '../mails/account-mails.service.js';
import type { User } from '../user.entity.js';
import type { SecondFactor } from './second-factor.entity.js';
import { SecondFactorChangesService } from './second-factor-changes.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** A challenge is valid as long as a sign-in may take, because the page with it may stay open that long. */
const CHALLENGE_MS = 3_600_000;
/** More passkeys than a person has devices; the browser receives all of them at each sign-in. */
const MAX_PASSKEYS = 20;
/** A name is one line on the account page. */
const MAX_NAME_CHARACTERS = 60;

type PersonOfPasskey = Pick<User, 'id' | 'email' | 'firstname' | 'lastname'>;

/** A passkey that signed a challenge. */
export interface UsedPasskey {
  readonly userId: number;
  /** Authentication methods of RFC 8176: `hwk` or `swk`, `user`. */
  readonly amr: readonly string[];
}

/** Registers passkeys and checks their signatures (WebAuthn level 3). `subject` names the sign-in or session that a challenge belongs to. */
@Injectable()
export class PasskeysService {
  /** Whether browsers support passkeys at this address: they do not for an IP address. */
  readonly available: boolean;
  private readonly rpID: string;
  private readonly origin: string;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly factors: SecondFactorsRepository,
    private readonly changes: SecondFactorChangesService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    const { hostname, origin } = new URL(config.publicUrl);
    this.rpID = hostname;
    this.origin = origin;
    this.available = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  }

  /** The options with which a browser creates a passkey, as JSON. */
  async registrationOptions(user: PersonOfPasskey, subject: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const passkeys = await this.passkeysOf(user.id);
    const options = await generateRegistrationOptions({
      rpName: this.config.serviceName,
      rpID: this.rpID,
      userID: handleOf(user.id),
      userName: user.email,
      userDisplayName: [user.firstname, user.lastname].filter(Boolean).join(' ') || user.email,
      excludeCredentials: passkeys.map(toDescriptor),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    await this.remember(options.challenge, subject);
    return options;
  }

  /**
   * Adds the passkey that a browser created. `name` may be empty.
   * @throws DomainError 400 `passkey_name_invalid`, 401 `passkey_refused`, 409 `passkey_exists`, `too_many_passkeys`
   */
  async register(
    user: Pick<User, 'id' | 'customerId'>,
    subject: string,
    { response, name, occasion }: { readonly response: string; readonly name: string; readonly occasion: Occasion },
  ): Promise<SecondFactor> {
    const checkedName = checkName(name);
    if ((await this.passkeysOf(user.id)).length >= MAX_PASSKEYS) {
      throw accountsErrors.too_many_passkeys(`There are ${MAX_PASSKEYS} passkeys already. Remove one first.`);
    }
    const { credential, credentialDeviceType } = await this.checked(async () => {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: JSON.parse(response) as RegistrationResponseJSON,
        expectedChallenge: async (challenge) => await this.factors.takeChallenge(challenge, subject, this.clock.now()),
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        requireUserVerification: false,
      });
      if (!registrationInfo) throw new Error('the attestation is not valid');
      return registrationInfo;
    });
    const passkey = {
      userId: user.id,
      name: checkedName,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: [...(credential.transports ?? [])],
      synced: credentialDeviceType === 'multiDevice',
      boundAt: this.clock.now(),
    };
    try {
      return await this.database.transaction(async () => {
        const added = await this.factors.insertPasskey(passkey);
        await this.changes.record('passkey-added', user, { occasion, thing: checkedName, bound: added.id });
        return added;
      });
    } catch (error) {
      throw isUniqueViolation(error) ? accountsErrors.passkey_exists('This passkey was added already.') : error;
    }
  }

  /**
   * The options with which a browser uses a passkey, as JSON: one of the person as second factor, or without a person any discoverable one, which then
   * has to verify the person by itself.
   */
  async authenticationOptions(
    subject: string,
    user: Pick<User, 'id' | 'customerId'> | null,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const options = await generateAuthenticationOptions({
      rpID: this.rpID,
      allowCredentials: user ? (await this.passkeysOf(user.id)).map(toDescriptor) : [],
      userVerification: user ? 'preferred' : 'required',
    });
    await this.remember(options.challenge, subject);
    return options;
  }

  /**
   * Checks what a passkey signed: as second factor of a person, or alone.
   * @throws DomainError 401 `passkey_refused`
   */
  async authenticate(subject: string, response: string, user: Pick<User, 'id' | 'customerId'> | null): Promise<UsedPasskey> {
    return await this.checked(async () => {
      const given = JSON.parse(response) as AuthenticationResponseJSON;
      const passkey = await this.factors.findPasskey(String(given.id));
      if (!passkey?.publicKey || !passkey.credentialId) throw new Error('the passkey is not known');
      if (user && passkey.userId !== user.id) throw new Error('the passkey is of another person');
      const handle = given.response?.userHandle;
      if (handle ? handle !== Buffer.from(handleOf(passkey.userId)).toString('base64url') : !user)
        throw new Error('the user handle is missing or wrong');
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: given,
        expectedChallenge: async (challenge) => await this.factors.takeChallenge(challenge, subject, this.clock.now()),
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        requireUserVerification: user === null,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
          transports: passkey.transports,
        },
      });
      if (!verified) throw new Error('the signature is not valid');
      const isUsed = await this.factors.markPasskeyUsed({ id: passkey.id, counter: authenticationInfo.newCounter }, this.clock.now());
      if (!isUsed) throw new Error('the signature counter has not increased');
      return { userId: passkey.userId, amr: [passkey.synced ? 'swk' : 'hwk', 'user'] };
    });
  }

  /** @throws DomainError 400 `passkey_name_invalid`, 404 `second_factor_unknown` */
  async rename(
    user: Pick<User, 'id' | 'customerId'>,
    id: number,
    { name, occasion }: { readonly name: string; readonly occasion: Occasion },
  ): Promise<void> {
    const checkedName = checkName(name);
    await this.database.transaction(async () => {
      if (!(await this.factors.rename(user.id, id, checkedName)))
        throw accountsErrors.second_factor_unknown('The passkey was removed already.');
      await this.changes.record('passkey-renamed', user, { occasion, thing: checkedName });
    });
  }

  private async passkeysOf(userId: number): Promise<SecondFactor[]> {
    return (await this.factors.findActive(userId)).filter(({ kind }) => kind === 'passkey');
  }

  private async remember(challenge: string, subject: string): Promise<void> {
    await this.factors.insertChallenge({ challenge, subject, expiresAt: new Date(this.clock.now().getTime() + CHALLENGE_MS) });
  }

  /** Refuses whatever does not verify with one public answer; the reason is logged. */
  private async checked<T>(verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      if (asDomainError(error) || !(error instanceof Error) || 'query' in error) throw error; // the database failed, not the passkey
      this.log.info({ detail: error.message.slice(0, 500) }, 'passkey refused');
      throw accountsErrors.passkey_refused('The passkey was not accepted. Try again, or use another way to sign in.');
    }
  }
}

/** The id that authenticators store for a person (WebAuthn section 14.6.1: nothing personal). */
const handleOf = (userId: number): Uint8Array<ArrayBuffer> => new TextEncoder().encode(String(userId));

const toDescriptor = ({ credentialId, transports }: SecondFactor) => ({
  id: credentialId ?? '',
  transports,
});

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= MAX_NAME_CHARACTERS && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw accountsErrors.passkey_name_invalid(`Give the passkey a name of 1 to ${MAX_NAME_CHARACTERS} characters on one line.`);
}
