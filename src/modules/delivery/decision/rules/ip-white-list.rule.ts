import { CidrTable } from '../addresses.js';
import { defineRule } from './delivery-rule.js';

/** `ipWhiteList`: the viewer's address has to be in one of the ranges. */
export const ipWhiteListRule = defineRule({
  name: 'ipWhiteList',
  combination: 'allow-list',
  scope: 'link',
  denials: {
    ip_not_allowed: {
      meaning: 'The address of the viewer is not in any address range of the player configuration.',
      viewerText: 'This cannot be seen from your network.',
    },
  },
  /** A list without ranges admits no address: an owner who removes the last range does not mean to admit everyone. */
  readSetting: ({ ipWhiteList }) => ipWhiteList && new CidrTable(ipWhiteList.map(({ cidr }) => ({ cidr, value: null }))),
  findDenial: (ranges, { address }) => (address && ranges.covers(address) ? null : 'ip_not_allowed'),
  notSetText: 'Viewers may come from any address.',
  explain: (ranges, { address }) => {
    if (!address) return 'The address of the viewer is not known.';
    if (ranges.isEmpty) return 'The list of address ranges is empty, so no address is allowed.';
    return `The address of the viewer is ${ranges.covers(address) ? 'in one of' : 'not in any of'} the allowed ranges.`;
  },
});
