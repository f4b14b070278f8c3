import { ApiExtension, ApiHeader } from '@nestjs/swagger';

/** Extension that carries the error codes of an operation until the OpenAPI document is complete (src/openapi). */
export const ERROR_CODES = 'x-error-codes';

/** Documents the operation's own error codes; the general ones (401, 403 scope, 429 …) are added to every operation. */
export const ApiErrors = (...codes: readonly string[]) => ApiExtension(ERROR_CODES, codes);

/** Documents the header `clientid` of dropsite senders. */
export const ApiClientId = () =>
  ApiHeader({
    name: 'clientid',
    required: false,
    description:
      'The clientId of the dropsite, as returned by deliver; required by item success, complete and jobResult without a session.',
  });
