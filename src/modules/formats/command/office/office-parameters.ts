import { integer, type ParameterRules } from '../parameter-rule.js';

/** Of a page's picture: which page, its resolution (or its width in pixels), JPEG's quality. A PDF takes none. */
export const OFFICE_PARAMETERS: ParameterRules = new Map([
  ['page', integer(1, 9_999)],
  ['dpi', integer(30, 600)],
  ['width', integer(16, 8_192)],
  ['quality', integer(1, 100)],
]);
