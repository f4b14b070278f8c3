export { publishAssets, publishFolder, serveAssets } from './assets.js';
export { formatDateTime } from './format-date-time.js';
export { Pages } from './pages.js';
export { ProblemPageFilter } from './problem-page.filter.js';
export { ProblemPages } from './problem-pages.js';
export { allowFraming, sendPage } from './send-page.js';
export { sharedModules } from './shared-modules.js';
export { WebModule } from './web.module.js';
