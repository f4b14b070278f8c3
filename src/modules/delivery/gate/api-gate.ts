import { ApiParam, ApiQuery } from '@nestjs/swagger';

/** The codes with which the gate refuses; for ApiErrors. */
export const GATE_CODES = [
  'not_found',
  'link_ended',
  'auth_required',
  'ext_auth_required',
  'oauth_required',
  'ip_not_allowed',
  'referer_not_allowed',
  'wrong_host',
] as const;

const LINK = ApiParam({ name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' });
const AUTH = ApiQuery({
  ...{ name: 'auth', required: false, type: 'string' },
  description: 'base64(`<anything>:<token>`), the token of POST /v5/extAuth.',
});
const ADMISSION = ApiQuery({
  ...{ name: 'admission', required: false, type: 'string' },
  description: 'What a player page adds to its own requests.',
});

/** Documents what the gate reads of a request of a player page: the link, and what may open it. */
export const ApiGate = (): MethodDecorator => (target, key, descriptor) => {
  for (const document of [ADMISSION, AUTH, LINK]) document(target, key, descriptor);
};
