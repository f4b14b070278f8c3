import { ApiHeader } from '@nestjs/swagger';

/** Documents the header `clientid` of senders. */
export const ApiClientId = () =>
  ApiHeader({
    name: 'clientid',
    required: false,
    description:
      'The clientId of the dropsite, as deliver answers it. May be left out here; item success and complete need it without a session.',
  });
