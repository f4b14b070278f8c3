import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { ActivityPage, readActivitySearch } from './activity/activity.page';
import { DropsitePage, NewDropsitePage } from './dropsites/dropsite.page';
import { DropsitesPage } from './dropsites/dropsites.page';
import { readDropsitesSearch } from './dropsites/dropsites-search';
import { NotFound, PageError } from './elements/page-states';
import { FormatPage, NewFormatPage } from './formats/format.page';
import { FormatsPage } from './formats/formats.page';
import { readFormatSearch, readFormatsSearch } from './formats/formats-search';
import { LibraryPage } from './library/library.page';
import { readLibrarySearch } from './library/library-search';
import { MediumPage } from './medium/medium.page';
import { ConfigurationPage, NewConfigurationPage } from './player-configurations/configuration.page';
import { ConfigurationsPage } from './player-configurations/configurations.page';
import { readConfigurationSearch, readConfigurationsSearch } from './player-configurations/configurations-search';
import { SettingsPage } from './settings/settings.page';
import { SharesPage } from './shares/shares.page';
import { readSharesSearch } from './shares/shares-search';
import { Shell } from './shell/shell';
import { StatisticsPage } from './statistics/statistics.page';
import { readStatisticsSearch } from './statistics/statistics-search';
import { NewSubscriptionPage, SubscriptionPage } from './subscriptions/subscription.page';
import { SubscriptionsPage } from './subscriptions/subscriptions.page';
import { readSubscriptionsSearch } from './subscriptions/subscriptions-search';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError });

/** The pages, by their addresses below /console; search, filters and selection of a page are in its query. */
const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: LibraryPage, validateSearch: readLibrarySearch }),
  createRoute({ getParentRoute: () => root, path: '/media/$id', component: MediumPage }),
  createRoute({ getParentRoute: () => root, path: '/formats', component: FormatsPage, validateSearch: readFormatsSearch }),
  createRoute({ getParentRoute: () => root, path: '/formats/new', component: NewFormatPage, validateSearch: readFormatSearch }),
  createRoute({ getParentRoute: () => root, path: '/formats/$id', component: FormatPage, validateSearch: readFormatSearch }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations',
    component: ConfigurationsPage,
    validateSearch: readConfigurationsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations/new',
    component: NewConfigurationPage,
    validateSearch: readConfigurationsSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/player-configurations/$id',
    component: ConfigurationPage,
    validateSearch: readConfigurationSearch,
  }),
  createRoute({ getParentRoute: () => root, path: '/shares', component: SharesPage, validateSearch: readSharesSearch }),
  createRoute({ getParentRoute: () => root, path: '/dropsites', component: DropsitesPage, validateSearch: readDropsitesSearch }),
  createRoute({ getParentRoute: () => root, path: '/dropsites/new', component: NewDropsitePage }),
  createRoute({ getParentRoute: () => root, path: '/dropsites/$id', component: DropsitePage }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions',
    component: SubscriptionsPage,
    validateSearch: readSubscriptionsSearch,
  }),
  createRoute({ getParentRoute: () => root, path: '/subscriptions/new', component: NewSubscriptionPage }),
  createRoute({ getParentRoute: () => root, path: '/subscriptions/$id', component: SubscriptionPage }),
  createRoute({ getParentRoute: () => root, path: '/activity', component: ActivityPage, validateSearch: readActivitySearch }),
  createRoute({ getParentRoute: () => root, path: '/statistics', component: StatisticsPage, validateSearch: readStatisticsSearch }),
  createRoute({ getParentRoute: () => root, path: '/settings', component: SettingsPage }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  scrollRestoration: true,
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
