const allowed = {
  accounts: [],
  access: ['accounts'],
  saml: ['accounts'],
  oauth: ['access', 'accounts', 'saml'],
  activity: [],
  media: [],
  formats: ['accounts', 'activity', 'media'],
  'player-configurations': ['formats', 'media'],
  delivery: ['access', 'accounts', 'converter', 'formats', 'media', 'player-configurations'],
  uploads: ['activity', 'formats', 'media'],
  dropsites: ['access', 'accounts', 'converter', 'media', 'uploads'],
  converter: ['accounts', 'activity', 'formats', 'media'],
  subscriptions: ['accounts', 'delivery', 'dropsites', 'formats', 'media'],
};

/** Dependencies between modules go one way (ARCHITECTURE.md); a module is imported through its index.ts only. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'in ESM a cycle crashes at load', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'kernel-knows-no-module',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { path: '^src/(modules|process|embedded|admin|tools)/' },
    },
    {
      name: 'sdk-knows-no-service',
      severity: 'error',
      comment: 'it is a package of its own',
      from: { path: '^sdk/src/' },
      to: { path: '^src/' },
    },
    {
      name: 'modules-know-no-root',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: { path: '^src/([^/]+\\.ts$|(process|embedded|admin|tools)/)' },
    },
    {
      name: 'one-door',
      severity: 'error',
      comment: 'other modules import index.ts only',
      from: { path: '^src/', pathNot: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/[^/]+/.+', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'one-door-between-modules',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/[^/]+/.+', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
    },
    {
      name: 'own-files-avoid-own-door',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: '/index\\.ts$' },
      to: { path: '^src/modules/$1/index\\.ts$' },
    },
    ...Object.entries(allowed).map(([name, targets]) => ({
      name: `arrows-of-${name}`,
      severity: 'error',
      from: { path: `^src/modules/${name}/` },
      to: { path: '^src/modules/', pathNot: [name, ...targets].map((target) => `^src/modules/${target}/`) },
    })),
    {
      name: 'typeorm-behind-the-kernel',
      severity: 'error',
      comment: 'TypeORM repositories are reached through shared/database',
      from: { path: '^src/', pathNot: '^src/shared/database/' },
      to: { path: '@nestjs/typeorm' },
    },
    {
      name: 'oidc-provider-behind-its-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/oauth/provider/' },
      to: { path: 'node_modules/oidc-provider' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '\\.spec\\.ts$' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'], conditionNames: ['import', 'node', 'default'], exportsFields: ['exports'] },
  },
};
