import type { IgnoredInputResponse } from '../../../shared/validation/index.js';

/** A `templateId` other than 0 is kept and has no effect: the service has one page for downloads. */
export const findIgnoredTemplate = (templateId: number | null | undefined, path: string): IgnoredInputResponse[] =>
  templateId ? [{ path, reason: `there is no template ${templateId}; the page is the default one (0)` }] : [];
