import { Module } from '@nestjs/common';
import { Config } from '../config/index.js';
import { AddressResolver, SystemAddressResolver } from './address-resolver.js';
import { EgressClient } from './egress-client.js';

@Module({
  providers: [
    { provide: AddressResolver, useClass: SystemAddressResolver },
    {
      provide: EgressClient,
      inject: [Config, AddressResolver],
      useFactory: ({ egressAllowlist }: Config, resolver: AddressResolver) => new EgressClient({ allowlist: egressAllowlist, resolver }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule {}
