import type { Request } from 'express';

/** Whether a browser asks, not a client that wants JSON; who takes anything gets the page. */
export const wantsPage = (request: Request): boolean => request.accepts(['html', 'json']) !== 'json';
