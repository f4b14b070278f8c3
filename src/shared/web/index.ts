export { publishAssets, publishFolder, serveAssets, sharedModules } from './assets.js';
export { describeBytes } from './describe-bytes.js';
export { allowFraming, formatDateTime, Pages, sendPage } from './pages.js';
export { ProblemPageFilter, ProblemPages } from './problem-pages.js';
