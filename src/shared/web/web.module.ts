import { Global, Module } from '@nestjs/common';
import { Pages } from './pages.js';
import { ProblemPages } from './problem-pages.js';

/** Server-rendered pages for every module. */
@Global()
@Module({ providers: [Pages, ProblemPages], exports: [Pages, ProblemPages] })
export class WebModule {}
