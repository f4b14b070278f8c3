import { matching, type ParameterRules } from '../parameter-rule.js';

/** Which of the operator's tools. What it is started with stands in the operator's list, not in a format. */
export const CLI_PARAMETERS: ParameterRules = new Map([['tool', matching(/[a-z][a-z0-9-]{0,31}/)]]);
