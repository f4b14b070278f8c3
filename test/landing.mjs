// Which specs a change must pass before it lands, beside the unit and architecture rings, which always run. The only table of it: scripts/test.mjs
// chooses by it what `npm test`, `node scripts/test.mjs walk` and `npm run test:changed` run, and test/architecture.spec.ts checks that it leaves out no
// file and no spec.
//
// A change touches a row if the path of one of its files begins with one of the row's `paths`; it then runs the specs that the row names in each
// ring. A name is the beginning of the name of a spec file in that ring (saml is saml.spec.ts and saml-attacks.spec.ts, saml.spec the first one alone,
// * every file). A file may touch several rows. `main` names the e2e specs of a module's main path, which `npm test` runs after every change.

/** How many seconds each whole ring takes on two idle cores (an estimate for `npm test`, which is shorter than it was when the others were measured). */
export const SECONDS = { integration: 200, e2e: 600, browser: 660, external: 950, stress: 500, 'npm test': 250 };

/** A walk through each group of pages in Chromium, which every change must pass. */
export const WALK = 'console.spec embed-page.spec sign-in swagger-ui upload-page.spec';

export const ROWS = [
  // Modules.
  {
    paths: ['src/modules/access/'],
    main: 'introspection signed-requests',
    integration: 'authorizations query-plans server-keys tokens',
    e2e: 'devices introspection key-rotation lineage polling refresh revocation secrets-unreadable signed- token',
    stress: 'secret-rotation',
  },
  {
    paths: ['src/modules/accounts/'],
    main: 'account.spec audit-trail customer',
    integration: 'accounts audit login-failures text-erasure',
    e2e: 'account admin audit-trail customer doors erasure login quotas second-factors support-access',
    browser: 'account console-customers console-people console-settings console-team second-factors sign-in',
    external: 'oathtool',
    stress: 'admin-program',
  },
  {
    paths: ['src/modules/saml/'],
    main: 'saml-other-sessions',
    integration: 'saml secret-reencryption',
    e2e: 'admin-saml doors saml',
    browser: 'console-team sign-in',
    external: 'simplesamlphp',
  },
  {
    paths: ['src/modules/oauth/'],
    main: 'authorize.spec code-flow consent logout refresh token.spec',
    integration: 'authorizations clients oidc-records tokens',
    e2e:
      'account anonymous-costs apps authorize client-secrets code-flow consent cors deliver-sign-in devices iframe ' +
      'introspection key-rotation lineage login logout polling real-clients refresh request-code revocation saml ' +
      'second-factors token two-processes',
    browser: 'account console-connection embed-page-sign-in iframe second-factors sign-in swagger-ui',
    external: 'oathtool python-client simplesamlphp',
  },
  {
    paths: ['src/modules/activity/'],
    main: 'activity',
    integration: 'activity-query-plans',
    e2e: 'activity bulk-changes polling transcode-requests',
    browser: 'console-library',
  },
  {
    paths: ['src/modules/library/'],
    main: 'media-containers media-finds',
    integration: 'media-finds-query-plans search-entry transcoding-removals',
    e2e: 'entity-tags media- tracks',
    browser: 'console-library console-medium',
    external: 'film-streams',
    stress: 'media-finds',
  },
  {
    paths: ['src/modules/media/'],
    main: 'tracks.spec',
    integration: 'query-plans text-erasure transcoding-removals upload-',
    e2e: 'accepted-files archives cdn deliver- download-links entity-tags erasure media- statistics tracks upload',
    browser: 'console-library console-medium console-upload embed-page-media embed-page-subtitles',
    external: 'archives backup corpus-files film-streams',
    stress: 'bounded-rows',
  },
  {
    paths: ['src/modules/formats/'],
    main: 'formats.spec',
    integration: 'converter-execution formats-query-plans',
    e2e: 'auto-generate deliver-picture-sizes format ignored-input transcode-requests',
    browser: 'console-formats corpus-films',
    external: 'converter- corpus- film-streams format- picture-copyright streaming',
    stress: 'converter-workers format-destruction',
  },
  {
    paths: ['src/modules/converter/'],
    main: 'auto-generate transcode-requests',
    integration: 'converter- preview-progress transcoding- unable-worker work-metrics',
    e2e: 'activity auto-generate bulk-changes deliver-picture-sizes deliver-progress dropsite-progress tracks transcode-requests',
    browser: 'corpus-films embed-page-progress upload-page-previews',
    external: 'converter- corpus- film-streams format- picture-copyright streaming',
    stress: 'converter-workers outages transcoding worker-program',
  },
  {
    paths: ['src/modules/player-configurations/'],
    main: 'player-configurations.spec',
    integration: 'player-configurations-query-plans',
    e2e: 'deliver-embed delivery- embed-links entity-tags ignored-input player-configuration',
    browser: 'console-player-configurations console-shares embed-page',
    stress: 'link-uses',
  },
  {
    paths: ['src/modules/delivery/'],
    main: 'deliver-embed.spec delivery-rules download-links streaming.spec',
    e2e: 'accepted-files archives bandwidth cdn deliver download-links embed-links ext-auth oembed statistics streaming',
    browser: 'corpus-films download-page embed-page streaming-players',
    external: 'archives cdn-nginx streaming.spec',
    stress: 'expensive-requests link-uses',
  },
  {
    paths: ['src/modules/uploads/'],
    main: 'create-upload-inputs uploads',
    integration: 'credential-issuer documented-policies storage-ports upload-',
    e2e: 'accepted-files create-upload-inputs dropsite- quotas tracks upload',
    browser: 'console-upload upload-',
    external: 'documented-policies radosgw sdk upload-snippets',
    stress: 'uploads-',
  },
  {
    paths: ['src/modules/dropsites/'],
    main: 'dropsite-management dropsites',
    e2e: 'admin-dropsites dropsite',
    browser: 'console-dropsites upload-page',
  },
  {
    paths: ['src/modules/subscriptions/'],
    main: 'subscriptions-at-work subscriptions.spec',
    integration: 'egress email-instructions event https-instructions loopback-client mail subscription-',
    e2e: 'api-instructions event- mailbox subscription toy-instruction webhook-snippets',
    browser: 'console-subscriptions mailbox',
    external: 'webhook-snippets',
    stress: 'subscription',
  },
  { paths: ['src/modules/statistics/'], main: 'statistics', e2e: 'statistics', browser: 'console-statistics' },
  // Its main path is in the browser walk.
  { paths: ['src/modules/console/'], e2e: 'admin.spec cors', browser: 'console.spec' },

  // What all modules stand on: everything that a landing has time for.
  { paths: ['src/shared/', 'test/support/'], main: 'hardening metrics', integration: '*', e2e: '*' },
  { paths: ['src/app', 'src/entities.ts', 'ormconfig.ts'], integration: '*', e2e: '*' },
  {
    paths: ['.npmrc', 'jest.config.mjs', 'nest-cli.json', 'package', 'scripts/test', 'tsconfig', 'test/landing.mjs', 'test/types/'],
    integration: '*',
    e2e: '*',
    browser: '*',
    external: '*',
    stress: '*',
  },
  {
    paths: ['src/shared/database/', 'test/support/database/'],
    external: 'database-failover rolling-upgrade',
    stress: 'database-connections health-checks media-finds notifications outages scale',
  },
  {
    paths: ['src/shared/jobs/', 'src/shared/events/', 'src/shared/fairness/'],
    external: 'converter-fairness',
    stress: 'jobs notifications subscription transcoding uploads- worker-program',
  },
  {
    paths: ['src/shared/http/', 'src/shared/validation/', 'src/shared/auth/', 'src/shared/idempotency/', 'src/shared/errors'],
    browser: 'swagger-ui',
    stress: 'bounded-rows expensive-requests fuzz hostile-values required-and-type',
  },
  {
    paths: ['src/shared/storage/', 'test/support/storage/'],
    external: 'cdn-nginx documented-policies radosgw s3-clients',
    stress: 'object-storage-process outages uploads-',
  },
  {
    paths: ['src/shared/web/'],
    browser: 'account download-page embed-page mailbox second-factors sign-in upload-page',
  },
  {
    paths: ['src/shared/egress/', 'src/shared/mail/', 'test/support/subscriptions/'],
    browser: 'mailbox',
    stress: 'outages.spec subscription',
  },
  { paths: ['src/shared/secrets/'], external: 'backup', stress: 'secret-rotation' },
  { paths: ['src/shared/health/', 'src/shared/metrics', 'src/shared/tracing/'], external: 'prometheus', stress: 'health-checks' },
  {
    paths: [
      'src/shared/color',
      'src/shared/detect-encoding',
      'src/shared/film-',
      'src/shared/heif-',
      'src/shared/picture-',
      'src/shared/svg-',
    ].concat(['src/shared/threads/', 'src/shared/tiff-', 'test/corpus/', 'test/support/converter/', 'test/support/media/']),
    browser: 'corpus-films',
    external: 'converter- corpus- film-streams format- picture-copyright streaming-formats',
  },

  // Programs and what surrounds them.
  {
    paths: ['src/process/', 'src/main.ts', 'src/worker.ts', 'test/support/app/'],
    external: 'container-files rolling-upgrade',
    stress: 'admin-program database-connections health-checks outages program scale worker-program',
  },
  {
    paths: ['src/process/', 'src/main.ts', 'src/worker.ts'],
    integration: 'database- housekeeping',
    e2e: 'metrics two-processes',
  },
  {
    paths: ['src/admin/'],
    main: 'admin-apply admin.spec',
    integration: 'documented-policies secret-reencryption',
    e2e: 'admin erasure key-rotation quotas secrets-unreadable',
    external: 'backup cdn-nginx documented-policies',
    stress: 'admin-program secret-rotation',
  },
  {
    paths: ['src/embedded/', 'samples/'],
    integration: 'migrations storage-ports',
    external: 'tour',
    stress: 'embedded-postgres object-storage-process program.spec',
  },
  {
    paths: [
      'src/openapi/',
      'src/start-page/',
      'src/tools/',
      'openapi.json',
      'test/support/documents/',
      'test/programs/',
      'test/external/clients/',
    ],
    integration: 'migrations openapi',
    e2e: 'documented-answers ignored-input query-parameters request-examples',
    browser: 'swagger-ui',
    external: 'python-client sdk',
    stress: 'fuzz generated-clients hostile-values required-and-type',
  },
  {
    paths: ['migrations/'],
    integration: '*',
    external: 'backup rolling-upgrade',
    stress: 'embedded-postgres media-finds program.spec',
  },
  {
    paths: ['local-storage/', 'test/support/storage/'],
    integration: 'object-storage storage-ports upload-',
    e2e: 'upload',
    external: 'radosgw s3-clients',
    stress: 'object-storage-process uploads-',
  },
  {
    paths: ['sdk/'],
    browser: 'console-connection console-upload upload-',
    external: 'sdk upload-snippets',
    stress: 'generated-clients',
  },
  {
    paths: ['scripts/', 'Dockerfile', 'docker/', 'compose.yaml', '.dockerignore'],
    external: 'container-files tour',
    stress: 'program worker-program',
  },
  { paths: ['ops/'], e2e: 'metrics', external: 'prometheus' },
  { paths: ['bench/'], stress: 'expensive-requests scale' },
  {
    paths: ['docs/', 'README.md', 'SECURITY.md', 'CHANGELOG.md'],
    integration: 'documented-policies',
    e2e: 'documented-answers metrics webhook-snippets',
    browser: 'upload-snippet',
    external: 'cdn-nginx converter-page documented-policies sdk streaming.spec tour upload-snippets webhook-snippets',
  },

  // The console: a page's own tests; what all pages share, all of them.
  { paths: ['console/src/activity/', 'console/src/start/'], browser: 'console.spec' },
  { paths: ['console/src/customers/'], browser: 'console-customers' },
  { paths: ['console/src/dropsites/'], browser: 'console-dropsites' },
  { paths: ['console/src/formats/'], browser: 'console-formats' },
  { paths: ['console/src/library/'], browser: 'console-foreign-text console-library' },
  { paths: ['console/src/medium/'], browser: 'console-foreign-text console-medium' },
  { paths: ['console/src/player-configurations/'], browser: 'console-player-configurations' },
  { paths: ['console/src/settings/'], browser: 'console-people console-settings' },
  { paths: ['console/src/shares/'], browser: 'console-shares' },
  { paths: ['console/src/statistics/'], browser: 'console-statistics' },
  { paths: ['console/src/subscriptions/'], browser: 'console-subscriptions' },
  { paths: ['console/src/team/'], browser: 'console-people console-team' },
  { paths: ['console/src/upload/'], browser: 'console-connection console-upload' },
  {
    paths: ['console/src/elements/', 'console/src/shell/', 'console/src/console', 'console/src/language.ts', 'console/src/main.ts']
      .concat(['console/src/query-', 'console/src/router.tsx', 'console/src/session.ts', 'console/src/theme.ts'])
      .concat(['console/index.html', 'console/package.json', 'console/tsconfig.json', 'console/vite.config.ts']),
    browser: 'console',
  },
  {
    paths: ['test/support/browser/'],
    browser: '*',
  },
];
