import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { deviceHeader } from '../provider/authorize-request.js';
import { OidcRecordsRepository, type StoredRecord } from '../provider/oidc-records.repository.js';
import { single } from '../provider/read-form.js';
import { requestScope } from '../provider/request-scope.js';
import { checkResource, narrowScope } from './narrowing.js';
import { clientIdOf } from './requesting-client.js';
import { SupportTokens } from './support-tokens.js';
import { readRecord, type TokenParameters } from './token-parameters.js';
import { TokenRequestError } from './token-request-error.js';

const MAX_DEVICE_LENGTH = 512; // as at authorize

/** What has to be right of an authorization code request before oidc-provider consumes the code. */
@Injectable()
export class CodeExchange {
  constructor(
    private readonly config: Config,
    private readonly records: OidcRecordsRepository,
    private readonly clients: ClientsService,
    private readonly supportTokens: SupportTokens,
  ) {}

  /** @throws TokenRequestError `invalid_grant`, `invalid_scope`, `invalid_target`; the code is not burnt */
  async check(parameters: TokenParameters): Promise<void> {
    const { request, body, form } = parameters;
    const code = single(body, 'code');
    const record = code ? await readRecord(this.records, request, { model: 'AuthorizationCode', identifier: code }) : null;
    if (!record || record.payload.clientId !== clientIdOf(request, body)) return; // oidc-provider refuses it
    const { payload } = record;
    checkState(single(body, 'state'), payload.state);
    this.checkDevice(parameters, payload.device);
    const scope = requestScope(request);
    scope.narrowedScope = narrowScope(single(body, 'scope'), String(payload.scope ?? ''));
    checkResource(form.resource, payload.resource);
    await this.fillRedirectUri(payload, form);
    const casa = body.casa;
    if (casa !== undefined) scope.support = await this.supportTokens.begin(Number(payload.accountId), casa);
  }

  /** A code of a device is for that device; `deviceFromCode` names one for a login that could not. */
  private checkDevice({ request, body }: TokenParameters, bound: unknown): void {
    const device = single(body, 'device') ?? deviceHeader(request.headers, this.config.headerPrefixes);
    const deviceFromCode = single(body, 'deviceFromCode');
    if ((deviceFromCode?.length ?? 0) > MAX_DEVICE_LENGTH) {
      throw new TokenRequestError('invalid_request', `deviceFromCode has more than ${MAX_DEVICE_LENGTH} characters`);
    }
    for (const named of [device, deviceFromCode]) {
      if (bound !== undefined && named !== undefined && named !== bound) {
        throw new TokenRequestError('invalid_grant', 'device differs from the one that the code was issued for');
      }
    }
    if (bound === undefined && deviceFromCode !== undefined) requestScope(request).deviceFromCode = deviceFromCode;
  }

  /** The redirect URI may be left out where a secret or PKCE protects the code; a code of requestCode went through no redirect. */
  private async fillRedirectUri(payload: StoredRecord['payload'], form: TokenParameters['form']): Promise<void> {
    const redirectUri = String(payload.redirectUri ?? '');
    const client = await this.clients.find(String(payload.clientId));
    if (payload.withoutRedirect === true && (!form.redirect_uri || client?.redirectUris.includes(String(form.redirect_uri)))) {
      form.redirect_uri = redirectUri;
    }
    if (form.redirect_uri || this.config.requireRedirectUri) return;
    if (payload.codeChallenge || client?.secretHash) form.redirect_uri = redirectUri;
  }
}

function checkState(sent: string | undefined, issued: unknown): void {
  if (sent === undefined || issued === undefined || sent === issued) return;
  throw new TokenRequestError('invalid_grant', 'state differs from the one that the code was issued for');
}
