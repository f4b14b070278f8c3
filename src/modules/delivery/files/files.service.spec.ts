import { expect, it } from '@jest/globals';
import type { BandwidthRule } from '../../player-configurations/index.js';
import { parseAddress } from '../decision/addresses.js';
import { compilePolicy } from '../decision/decide-delivery.js';
import { limitsOf } from './files.service.js';

const rule = (cidr: string, type: BandwidthRule['type'], limit: number): BandwidthRule => ({ cidr, type, limit });
const everybody = rule('0.0.0.0/0', 'parallel', 5);
const slow = rule('0.0.0.0/0', 'bandwidth', 1_000);
const office = rule('10.1.0.0/16', 'parallel', 50);
const floor = rule('10.1.2.0/24', 'bandwidth', 9_000);
const policy = compilePolicy({ securitySettings: { bandwidthControl: [everybody, floor, slow, office] }, settings: null, formats: [] });

it.each([
  ['192.0.2.1', { parallel: everybody, bandwidth: slow }],
  ['10.1.9.9', { parallel: office, bandwidth: slow }],
  ['10.1.2.9', { parallel: office, bandwidth: floor }],
  ['2001:db8::1', { parallel: null, bandwidth: null }],
  ['unknown', { parallel: null, bandwidth: null }],
])('a viewer at %s is limited by the narrowest range of each kind', (address, limits) => {
  expect(limitsOf(policy, { address: parseAddress(address) })).toEqual(limits);
});
