import { Module } from '@nestjs/common';
import { Config } from '../config/index.js';
import { AddressResolver } from './address-resolver.port.js';
import { EgressClient } from './egress-client.js';
import { EgressAllowlist } from './egress-target.js';
import { SystemAddressResolver } from './system-address-resolver.adapter.js';

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
