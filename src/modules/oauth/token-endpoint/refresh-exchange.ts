import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { AuthorizationsService } from '../../access/index.js';
import { deviceHeader } from '../provider/authorize-request.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';
import { single } from '../provider/read-form.js';
import { requestScope } from '../provider/request-scope.js';
import { checkResource, narrowScope } from './narrowing.js';
import { clientIdOf } from './requesting-client.js';
import { SupportTokens } from './support-tokens.js';
import { readRecord, type TokenParameters } from './token-parameters.js';
import { TokenRequestError } from './token-request-error.js';

/** What has to be right of a refresh beyond what oidc-provider checks. */
@Injectable()
export class RefreshExchange {
  constructor(
    private readonly config: Config,
    private readonly records: OidcRecordsRepository,
    private readonly authorizations: AuthorizationsService,
    private readonly supportTokens: SupportTokens,
  ) {}

  /** @throws TokenRequestError `invalid_grant`, `invalid_scope`, `invalid_target` */
  async check({ request, body, form }: TokenParameters): Promise<void> {
    const token = single(body, 'refresh_token');
    const record = token ? await readRecord(this.records, request, { model: 'RefreshToken', identifier: token }) : null;
    if (!record?.grantId || record.payload.clientId !== clientIdOf(request, body)) return; // oidc-provider refuses it
    checkResource(form.resource, record.payload.resource);
    const scope = requestScope(request);
    scope.narrowedScope = narrowScope(single(body, 'scope'), String(record.payload.scope ?? ''));
    scope.authorization = await this.authorizations.findByGrantId(record.grantId);
    if (scope.authorization && Number(record.payload.generation ?? 0) !== scope.authorization.generation) {
      throw new TokenRequestError('invalid_grant', 'this refresh token was revoked');
    }
    const device = deviceHeader(request.headers, this.config.headerPrefixes) ?? single(body, 'device');
    if (scope.authorization?.device && scope.authorization.device !== device) {
      throw new TokenRequestError('invalid_grant', 'this refresh token is bound to a device; send it in x-service-device');
    }
    scope.support = await this.supportTokens.goOn(record.payload.support);
  }
}
