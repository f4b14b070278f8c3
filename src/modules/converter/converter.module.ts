import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index.js';
import { TranscodingCompletion } from './jobs/transcoding-completion.js';
import { ConverterWorkers } from './tools/converter-workers.js';
import { Isolation } from './tools/isolation.js';
import { ToolRunner } from './tools/tool-runner.js';
import { Toolbox } from './tools/toolbox.js';

/** Formats that run: originals become renditions. */
@Module({
  imports: [ActivityModule],
  providers: [ConverterWorkers, Isolation, Toolbox, ToolRunner, TranscodingCompletion],
  exports: [TranscodingCompletion],
})
export class ConverterModule {}
