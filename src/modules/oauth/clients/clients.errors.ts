import { defineErrors } from '../../../shared/errors/index.js';

export const clientsErrors = defineErrors({
  unknown_client: { kind: 'invalid', meaning: 'There is no client application with this client_id.' },
  client_id_reserved: { kind: 'invalid', meaning: 'The client_id belongs to the service itself; choose another.' },
  client_is_public: { kind: 'invalid', meaning: 'A public client has no secret that could be rotated.' },
  service_user_unknown: { kind: 'invalid', meaning: 'serviceUser must name a user that exists.' },
});
