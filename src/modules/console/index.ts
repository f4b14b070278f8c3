export { ConsoleModule } from './console.module.js';
export { hasConsole } from './console-build.js';
export { ConsoleClientService } from './console-client.service.js';
