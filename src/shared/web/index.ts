export { publishAssets, publishFolder, serveAssets, sharedModules } from './assets.js';
export { describeBytes } from './describe-bytes.js';
export { formatDateTime, Pages } from './pages.js';
export { ProblemPageFilter, ProblemPages } from './problem-pages.js';
export { allowFraming, sendPage } from './send-page.js';
export { WebModule } from './web.module.js';
