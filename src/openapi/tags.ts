/** The groups of operations, in the order of Swagger UI. A test compares them with the tags of the operations. */
export const TAGS: Readonly<Record<string, string>> = {
  Authorization: 'Signs people in and issues authorization codes (OAuth 2.0, OpenID Connect, SAML).',
  Tokens: 'Exchanges codes and refresh tokens for access tokens, introspects and revokes tokens, and verifies signed requests.',
  Metadata: 'What clients of the authorization server read once: its endpoints and keys.',
  'Authorized applications': 'The client applications that a user has granted access to.',
  Customer: 'The organization of the caller: its settings and how much of its limits is used.',
  Administration:
    'For operators the customers, for administrators the people, sessions, client applications, access keys and identity providers of a customer, and what was changed.',
  Uploads: 'Prepares uploads, which go directly to the object storage, and reports their success.',
  Media: 'Media containers with their originals, renditions and tracks.',
  Formats: 'How renditions are made of originals: formats that are based on blueprints.',
  'Player configurations': 'Which formats are delivered, to which viewers, and how the player looks.',
  'Embed links': 'Links that show a media container in a web page.',
  'Download links': 'Links from which people without an account download files.',
  Delivery: 'What viewers and their players request: pages, files, playlists and pictures.',
  Statistics: 'How often media were played, downloaded and refused.',
  Dropsites: 'Links at which people without an account upload files.',
  Subscriptions: 'What the service does when an event happens: signed requests, e-mails and calls of this API.',
  Activity: 'Running and recent background jobs, and their results.',
  Health: 'For load balancers and monitoring.',
};
