import { Module } from '@nestjs/common';
import { Config } from '../config/index.js';
import { AddressResolver } from './address-resolver.js';
import { EgressAllowlist } from './egress-allowlist.js';
import { EgressClient } from './egress-client.js';
import { SystemAddressResolver } from './system-address-resolver.js';

@Module({
  providers: [
    {
      provide: AddressResolver,
      inject: [Config],
      useFactory: ({ egressAllowlist }: Config) => new SystemAddressResolver(new EgressAllowlist(egressAllowlist)),
    },
    {
      provide: EgressClient,
      inject: [Config, AddressResolver],
      useFactory: ({ egressAllowlist }: Config, resolver: AddressResolver) => new EgressClient({ allowlist: egressAllowlist, resolver }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule {}
