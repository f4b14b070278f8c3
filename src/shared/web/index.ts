export { assetUrl, packageFile, publishAssets, publishFolder, serveAssets, sharedModules } from './assets.js';
export { describeBytes } from './describe-bytes.js';
export { pageFilesIn } from './page-files.js';
export { allowFraming, describeUserAgent, formatDateTime, PagesService, sendPage } from './pages.service.js';
export { ProblemPageFilter, ProblemPagesService } from './problem-pages.service.js';
