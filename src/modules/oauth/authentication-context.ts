import { MFA } from '../../shared/auth/index.js';

/** Whether an authorization request asks for a sign-in with a second factor. Unknown values of `acr_values` are ignored. */
export const requestsMfa = (acrValues: unknown): boolean => typeof acrValues === 'string' && acrValues.split(' ').includes(MFA);
