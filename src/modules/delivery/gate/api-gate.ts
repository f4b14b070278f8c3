import { ApiParam, ApiQuery } from '@nestjs/swagger';

const LINK = ApiParam({ name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' });
const AUTH = ApiQuery({
  ...{ name: 'auth', required: false, type: 'string' },
  description: 'base64(`<anything>:<token>`), the token of POST /v5/extAuth.',
});
const ADMISSION = ApiQuery({
  ...{ name: 'admission', required: false, type: 'string' },
  description: 'The admission that a player page adds to its own requests.',
});

/** Documents the parameters that the gate reads from the request of a player page: the link and what admits the viewer. */
export const ApiGate = (): MethodDecorator => (target, key, descriptor) => {
  for (const document of [ADMISSION, AUTH, LINK]) document(target, key, descriptor);
};
