import { createRootRoute, createRoute, createRouter, lazyRouteComponent as lazy } from '@tanstack/react-router';
import { readActivitySearch } from './activity/activity-search';
import { readCustomersSearch } from './customers/customers-search';
import { readDropsitesSearch } from './dropsites/dropsites-search';
import { readMediaTypeSearch } from './elements/media-types';
import { NotFound, PageError } from './elements/page-states';
import { readFormatSearch } from './formats/formats-search';
import { LibraryPage } from './library/library.page';
import { readLibrarySearch } from './library/library-search';
import { readConfigurationSearch } from './player-configurations/configurations-search';
import { readSharesSearch } from './shares/shares-search';
import { Shell } from './shell/shell';
import { readStatisticsSearch } from './statistics/statistics-search';
import { readSubscriptionsSearch } from './subscriptions/subscriptions-search';
import { readAuditSearch } from './team/audit/audit-search';
import { readNewPersonSearch, readPeopleSearch } from './team/people/people-search';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError });

/** The pages, by their addresses below /console, each but the library loaded when it is opened; search, filters and selection of a page are in its query. */
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: LibraryPage, // most people begin there
    validateSearch: readLibrarySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/start',
    component: lazy(async () => await import('./start/start.page'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/media/$id',
    component: lazy(async () => await import('./medium/medium.page'), 'MediumPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/formats',
    component: lazy(async () => await import('./formats/formats.page'), 'FormatsPage'),
    validateSearch: readMediaTypeSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/formats/new',
    component: lazy(async () => await import('./formats/format.page'), 'NewFormatPage'),
    validateSearch: readFormatSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/formats/$id',
    component: lazy(async () => await import('./formats/format.page'), 'FormatPage'),
    validateSearch: readFormatSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations',
    component: lazy(async () => await import('./player-configurations/configurations.page'), 'ConfigurationsPage'),
    validateSearch: readMediaTypeSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations/new',
    component: lazy(async () => await import('./player-configurations/configuration.page'), 'NewConfigurationPage'),
    validateSearch: readMediaTypeSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations/$id',
    component: lazy(async () => await import('./player-configurations/configuration.page'), 'ConfigurationPage'),
    validateSearch: readConfigurationSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/shares',
    component: lazy(async () => await import('./shares/shares.page'), 'SharesPage'),
    validateSearch: readSharesSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/dropsites',
    component: lazy(async () => await import('./dropsites/dropsites.page'), 'DropsitesPage'),
    validateSearch: readDropsitesSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/dropsites/new',
    component: lazy(async () => await import('./dropsites/dropsite.page'), 'NewDropsitePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/dropsites/$id',
    component: lazy(async () => await import('./dropsites/dropsite.page'), 'DropsitePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions',
    component: lazy(async () => await import('./subscriptions/subscriptions.page'), 'SubscriptionsPage'),
    validateSearch: readSubscriptionsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions/new',
    component: lazy(async () => await import('./subscriptions/subscription.page'), 'NewSubscriptionPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions/$id',
    component: lazy(async () => await import('./subscriptions/subscription.page'), 'SubscriptionPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    component: lazy(async () => await import('./activity/activity.page'), 'ActivityPage'),
    validateSearch: readActivitySearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/statistics',
    component: lazy(async () => await import('./statistics/statistics.page'), 'StatisticsPage'),
    validateSearch: readStatisticsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    component: lazy(async () => await import('./settings/settings.page'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team',
    component: lazy(async () => await import('./team/people/people.page'), 'PeoplePage'),
    validateSearch: readPeopleSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/people/new',
    component: lazy(async () => await import('./team/people/person.page'), 'NewPersonPage'),
    validateSearch: readNewPersonSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/people/$id',
    component: lazy(async () => await import('./team/people/person.page'), 'PersonPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/applications',
    component: lazy(async () => await import('./team/applications/applications.page'), 'ApplicationsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/applications/new',
    component: lazy(async () => await import('./team/applications/application.page'), 'NewApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/applications/$id',
    component: lazy(async () => await import('./team/applications/application.page'), 'ApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/access-keys',
    component: lazy(async () => await import('./team/access-keys/access-keys.page'), 'AccessKeysPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/identity-providers',
    component: lazy(async () => await import('./team/identity-providers/identity-providers.page'), 'IdentityProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/identity-providers/new',
    component: lazy(async () => await import('./team/identity-providers/provider.page'), 'NewIdentityProviderPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/identity-providers/$id',
    component: lazy(async () => await import('./team/identity-providers/provider.page'), 'IdentityProviderPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/team/audit',
    component: lazy(async () => await import('./team/audit/audit.page'), 'AuditPage'),
    validateSearch: readAuditSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/customers',
    component: lazy(async () => await import('./customers/customers.page'), 'CustomersPage'),
    validateSearch: readCustomersSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/customers/new',
    component: lazy(async () => await import('./customers/customer.page'), 'NewCustomerPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/customers/$id',
    component: lazy(async () => await import('./customers/customer.page'), 'CustomerPage'),
    validateSearch: readPeopleSearch,
  }),
] as const;

/** `NODE_ENV` of the service, which writes it into the page. */
const environment = document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content;

/** For those who change the console; an installation in production has no such page. */
const elements = createRoute({
  getParentRoute: () => root,
  path: '/elements',
  component: lazy(async () => await import('./elements/elements.page'), 'ElementsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren(environment === 'production' ? routes : [...routes, elements]),
  basepath: '/console',
  scrollRestoration: true,
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
