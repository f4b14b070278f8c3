import { Module } from '@nestjs/common';
import { Config } from '../config/index.js';
import { AddressResolver } from './address-resolver.port.js';
import { EgressService } from './egress.service.js';
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
      provide: EgressService,
      inject: [Config, AddressResolver],
      useFactory: ({ egressAllowlist }: Config, resolver: AddressResolver) => new EgressService({ allowlist: egressAllowlist, resolver }),
    },
  ],
  exports: [EgressService],
})
export class EgressModule {}
