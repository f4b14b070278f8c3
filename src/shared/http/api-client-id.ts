import { ApiHeader } from '@nestjs/swagger';

/** Documents the header `clientid` of dropsite senders. */
export const ApiClientId = () =>
  ApiHeader({
    name: 'clientid',
    required: false,
    description: 'The clientId of the dropsite, as deliver answers it; item success, complete and jobResult need it without a session.',
  });
