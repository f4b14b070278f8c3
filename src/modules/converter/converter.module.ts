import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index.js';
import { TranscodingCompletion } from './jobs/transcoding-completion.js';

/** Formats that run: originals become renditions. */
@Module({ imports: [ActivityModule], providers: [TranscodingCompletion], exports: [TranscodingCompletion] })
export class ConverterModule {}
