import { Global, Module } from '@nestjs/common';
import { Pages } from './pages.js';

/** Server-rendered pages for every module. */
@Global()
@Module({ providers: [Pages], exports: [Pages] })
export class WebModule {}
