import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from './caller.js';

/** The caller that the guard attached; null only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | null => context.switchToHttp().getRequest<Request>().caller,
);
