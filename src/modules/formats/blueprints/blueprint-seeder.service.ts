import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { compileAllowedParameters } from '../converters/merge-parameters.js';
import { FormatsRepository } from '../formats.repository.js';
import { BLUEPRINTS } from './blueprints.js';

/** Stores the blueprints of this version when the service starts; unchanged ones cost one statement. */
@Injectable()
export class BlueprintSeederService implements OnApplicationBootstrap {
  constructor(private readonly formats: FormatsRepository) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { settings } of BLUEPRINTS) compileAllowedParameters(settings.allowedParameters ?? []);
    await this.formats.seed(BLUEPRINTS);
  }
}
