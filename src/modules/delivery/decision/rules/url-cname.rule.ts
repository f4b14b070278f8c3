import { hostName } from '../host-names.js';
import { defineRule } from './delivery-rule.js';

/** `url.cname`: the request has to be sent to this host. */
export const urlCnameRule = defineRule({
  name: 'url.cname',
  combination: 'required',
  scope: 'link',
  denials: {
    wrong_host: {
      meaning: 'The player configuration delivers its links only on another host (url.cname).',
      viewerText: 'This is available at another address.',
    },
  },
  /** `''`: the configured name is invalid, so no host is allowed. */
  readSetting: ({ cname }) => (cname ? (hostName(cname) ?? '') : null),
  findDenial: (cname, { host }) => (hostName(host) === cname ? null : 'wrong_host'),
  notSetText: 'The link is delivered on every host.',
  explain: (cname, { host }) => {
    const sentTo = `The request was sent to ${hostName(host) ?? 'an unknown host'}`;
    if (cname === '') return `${sentTo}, but no host delivers the link, because the configured host name (url.cname) is not valid.`;
    return hostName(host) === cname ? `${sentTo}, where the link is delivered.` : `${sentTo}, but the link is delivered on ${cname} only.`;
  },
});
