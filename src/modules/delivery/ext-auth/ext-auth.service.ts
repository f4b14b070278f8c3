import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { RulesInForce } from '../../player-configurations/index.js';
import { deliveryErrors } from '../gate/delivery.errors.js';
import { DeliveryPolicies } from '../gate/delivery-policies.js';
import { extAuthErrors } from './ext-auth.errors.js';
import { ExternalTokens } from './external-tokens.js';

/** Other servers that know their viewers, and vouch for them. */
@Injectable()
export class ExtAuthService {
  constructor(
    private readonly rules: RulesInForce,
    private readonly policies: DeliveryPolicies,
    private readonly tokens: ExternalTokens,
  ) {}

  /** A token for a link of the caller's customer. Throws `signature_required`, `not_found`, `link_ended`, `access_key_not_allowed`. */
  async issue({ accessKey, customerId }: Caller, address: string): Promise<string> {
    if (accessKey === null) throw extAuthErrors.signature_required('Sign this request with an access key.');
    const remembered = await this.rules.findLink(address);
    const inForce = remembered && remembered.customerId === customerId ? await this.rules.of(remembered) : null;
    if (!inForce) throw generalErrors.not_found('There is no such link.');
    const { link, configuration } = inForce;
    if (link.flag === 1 || !configuration) throw deliveryErrors.link_ended('This link does not show anything any more.');
    const { policy } = await this.policies.of(configuration);
    if (!policy.extAuth?.accessKeys.has(accessKey)) {
      throw extAuthErrors.access_key_not_allowed('The player configuration of this link does not take tokens of this access key.');
    }
    return this.tokens.issue(link, accessKey);
  }
}
