import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../shared/config/index.js';
import { AccountsService, ProofsService, REQUIRED_PROOFS, type User } from '../../accounts/index.js';
import { IdentityProvidersService } from '../../saml/index.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import { type LoginSession, SessionsService } from '../sessions/sessions.service.js';

/** A signed-in person. */
export interface SignedIn {
  readonly session: LoginSession;
  readonly user: User;
}

/**
 * Makes sure that the person at a browser is the one who signed in, before a page changes who can sign in. A confirmation is a new sign-in: it asks for
 * everything that a sign-in asks for, also a second factor, and moves the time of the session.
 */
@Injectable()
export class ConfirmationsService {
  constructor(
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly accounts: AccountsService,
    private readonly proofs: ProofsService,
    private readonly identityProviders: IdentityProvidersService,
  ) {}

  /**
   * The person at this browser, if they signed in or confirmed within 5 minutes, with the secrets that the account has here. Otherwise redirects to the
   * sign-in page, from which the browser comes back to `returnTo`, a path of this service, and returns null. Call it for the page with the form and for the
   * form itself.
   */
  async require(request: Request, response: Response, returnTo: string): Promise<SignedIn | null> {
    const signedIn = await this.find(request, response);
    const proof = REQUIRED_PROOFS.ownFactors.page;
    const missing = signedIn && (await this.proofs.findMissing(proof, signedIn.user, signedIn.session.authentication));
    if (signedIn && !missing) return signedIn;
    response.redirect(303, await this.signInUrl(returnTo, signedIn?.user ?? null, missing?.acr_values ?? null));
    return null;
  }

  /** The person at this browser, or null. */
  async find(request: Request, response: Response): Promise<SignedIn | null> {
    const session = await this.sessions.find(request, response);
    const user = session && (await this.accounts.findById(session.accountId));
    return session && user && !user.disabledAt ? { session, user } : null;
  }

  /** The address of the sign-in page, or of the identity provider of a person who has no password. */
  private async signInUrl(returnTo: string, user: User | null, acrValues: string | null): Promise<string> {
    const { publicUrl } = this.config;
    const query = new URLSearchParams({
      client_id: ACCOUNT_CLIENT_ID,
      response_type: 'none',
      scope: 'openid',
      redirect_uri: `${publicUrl}/account`,
      state: returnTo, // the account page leads there
      prompt: 'login',
    });
    if (acrValues !== null) query.set('acr_values', acrValues); // also of a person whom an identity provider signs in
    const ssoIdentifier = user && !user.passwordHash ? await this.identityProviders.identifierOfUser(user.id) : null;
    if (ssoIdentifier !== null) query.set('ssoIdentifier', ssoIdentifier);
    else if (user) query.set('login_hint', user.email);
    return `${publicUrl}/v4/authorize?${query}`;
  }
}
