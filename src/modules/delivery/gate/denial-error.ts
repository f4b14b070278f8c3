import type { DomainError } from '../../../shared/errors/index.js';
import type { Denial, DenialCode } from '../decision/decide-delivery.js';
import { deliveryErrors } from './delivery.errors.js';

const DETAILS: Readonly<Record<DenialCode, string>> = {
  auth_required: 'Sign in to see this.',
  ext_auth_required: 'This can be seen only by way of the site that shows it.',
  oauth_required: 'This can be seen only with the application that it is meant for.',
  ip_not_allowed: 'This cannot be seen from your network.',
  referer_not_allowed: 'This can be seen only on the pages that it is meant for.',
  wrong_host: 'This is delivered at another address.',
  not_downloadable: 'This cannot be downloaded.',
  format_not_in_configuration: 'The link does not deliver this format.',
};

/** 403 with the rule that is in the way. */
export const denialError = ({ code, rule }: Denial): DomainError => deliveryErrors[code](DETAILS[code], { rule });
