import { Global, Module } from '@nestjs/common';
import { SecretReencryption } from './reencryption.js';
import { SecretBox } from './secret-box.js';

@Global()
@Module({ providers: [SecretBox, SecretReencryption], exports: [SecretBox, SecretReencryption] })
export class SecretsModule {}
