import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { FormatReaderService } from '../../formats/index.js';
import { CurrentRulesService, LINK_DELETED } from '../../player-configurations/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { DeliveryPoliciesService } from './delivery-policies.service.js';
import { ViewerTokensService } from './viewer-tokens.service.js';

/** External authentication: issues tokens for viewers whom other servers have authenticated. */
@Injectable()
export class ExtAuthService {
  constructor(
    private readonly rules: CurrentRulesService,
    private readonly formats: FormatReaderService,
    private readonly policies: DeliveryPoliciesService,
    private readonly tokens: ViewerTokensService,
  ) {}

  /** Issues a token for a link of the caller's customer. Throws `signature_required`, `not_found`, `link_ended`, `access_key_not_allowed`. */
  async issue({ accessKey, customerId }: Caller, address: string): Promise<string> {
    if (accessKey === null) throw deliveryErrors.signature_required('This request must be signed with an access key.');
    const current = (await this.rules.find([address])).get(address);
    if (current?.link.customerId !== customerId) throw generalErrors.not_found('This link does not exist.');
    const { link, configuration } = current;
    if (link.flag === LINK_DELETED || !configuration) throw deliveryErrors.link_ended('This link is no longer available.');
    const policy = this.policies.compile(configuration, await this.formats.visibleTo(customerId));
    if (!policy.settings.extAuth?.accessKeys.has(accessKey)) {
      throw deliveryErrors.access_key_not_allowed('The player configuration of this link does not accept tokens of this access key.');
    }
    return this.tokens.issueExternalToken(link, accessKey);
  }
}
