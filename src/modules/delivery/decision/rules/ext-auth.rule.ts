import { defineRule } from './delivery-rule.js';

/** `extAuth`: the viewer has to present a token that was issued with one of the access keys. */
export const extAuthRule = defineRule({
  name: 'extAuth',
  combination: 'authentication',
  scope: 'link',
  denials: {
    ext_auth_required: {
      meaning: 'The player configuration requires a token that POST /v5/extAuth issued for this link with one of its access keys.',
      viewerText: 'This can be seen only through the website that offers it.',
    },
  },
  readSetting: ({ extAuth }) => (extAuth?.enabled === true ? { accessKeys: new Set(extAuth.allowedAccessKeys ?? []) } : null),
  findDenial: ({ accessKeys }, { extAuthAccessKey: key }) => (key !== null && accessKeys.has(key) ? null : 'ext_auth_required'),
  notSetText: 'Viewers do not need a token of POST /v5/extAuth.',
  explain: ({ accessKeys }, { extAuthAccessKey: key }) => {
    if (key === null) return 'The request carries no valid token of POST /v5/extAuth for this link.';
    return `The token was issued with the access key ${key}, which is ${accessKeys.has(key) ? '' : 'not '}in allowedAccessKeys.`;
  },
});
