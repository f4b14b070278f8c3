/** The keys of a resource: its lists, and its records by their ids. */
const resource = <const Name extends string>(name: Name) => ({
  all: [name] as const,
  lists: [name, 'list'] as const,
  list: (query: unknown) => [name, 'list', query] as const,
  one: (id: number) => [name, id] as const,
});

const media = resource('media');
const people = resource('people');
const subscriptions = resource('subscriptions');
const formats = resource('formats');

/** The keys of all queries. Invalidating a key also invalidates those that begin with it: `keys.media.all` everything that shows media. */
export const keys = {
  accessKeys: resource('access-keys'),
  activity: {
    all: ['activity'] as const,
    jobs: (status: string | undefined) => ['activity', 'jobs', status] as const,
    log: (jobId: string) => ['activity', 'log', jobId] as const,
    result: (jobId: string | undefined) => ['activity', 'result', jobId] as const,
    ofMedium: (id: number) => ['activity', 'medium', id] as const,
  },
  applications: resource('applications'),
  audit: resource('audit'),
  credentialNames: ['credential-names'] as const,
  customers: { ...resource('customers'), isOperator: ['customers', 'is-operator'] as const },
  downloadLinks: resource('download-links'),
  dropsites: resource('dropsites'),
  embedLinks: {
    ...resource('embed-links'),
    newest: (playerConfigurationId: number, mediaContainerId: number | undefined) =>
      ['embed-links', mediaContainerId ?? 'all', 'newest', playerConfigurationId] as const,
  },
  formats: { ...formats, explanation: (id: number, mediaId: number | undefined) => [...formats.one(id), 'explanation', mediaId] as const },
  identityProviders: resource('identity-providers'),
  media: {
    ...media,
    any: ['media', 'any'] as const,
    newest: ['media', 'newest'] as const,
    facets: (query: unknown) => ['media', 'facets', query] as const,
    suggestions: (query: unknown) => ['media', 'suggestions', query] as const,
    ofDropsite: (link: string) => ['media', 'dropsite', link] as const,
    ofUpload: (ids: readonly number[]) => ['uploaded', ids] as const,
    itemUrl: (id: number, mediaId: number) => ['item-url', id, mediaId] as const,
    retention: (id: number) => ['retention', id] as const,
  },
  own: {
    customer: ['customer'] as const,
    customerVersion: ['customer', 'version'] as const,
    tokens: ['tokens'] as const,
    userinfo: ['userinfo'] as const,
  },
  people: { ...people, sessions: (id: number) => [...people.one(id), 'sessions'] as const },
  playerConfigurations: { ...resource('player-configurations'), counted: ['player-configurations', 'counted'] as const },
  samples: ['samples'] as const,
  shares: resource('shares'),
  statistics: {
    days: (query: unknown) => ['statistics', 'days', query] as const,
    rows: (query: unknown) => ['statistics', 'rows', query] as const,
    ofMedium: (id: number) => ['statistics', 'medium', id] as const,
  },
  subscriptions: { ...subscriptions, attempts: (id: number) => [...subscriptions.one(id), 'attempts'] as const },
  usage: (customerId: number | undefined) => ['usage', customerId ?? 'own'] as const,
};
