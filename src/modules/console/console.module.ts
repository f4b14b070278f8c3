import { Module } from '@nestjs/common';
import { OauthModule } from '../oauth/index.js';
import { ConsoleController } from './console.controller.js';
import { ConsoleClientService } from './console-client.service.js';

/** Serves the console, the web application of the workspace console/. */
@Module({
  imports: [OauthModule],
  controllers: [ConsoleController],
  providers: [ConsoleClientService],
  exports: [ConsoleClientService],
})
export class ConsoleModule {}
