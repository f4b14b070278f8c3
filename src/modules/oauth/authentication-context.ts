/** The only authentication context class (`acr`): more than one factor, or a passkey that verified the person. */
export const MFA = 'mfa';

/** Whether an authorization request asks for a sign-in with a second factor. Unknown values of `acr_values` are ignored. */
export const requestsMfa = (acrValues: unknown): boolean => typeof acrValues === 'string' && acrValues.split(' ').includes(MFA);
