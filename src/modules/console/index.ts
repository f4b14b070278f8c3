export { ConsoleModule } from './console.module.js';
export { hasConsole } from './console-build.js';
