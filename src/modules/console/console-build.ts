import { existsSync } from 'node:fs';
import type { Config } from '../../shared/config/index.js';
import { packageFile } from '../../shared/web/index.js';

/** The folder that the build of the workspace console/ writes. */
export const BUILD = packageFile('@media-delivery/console/package.json', 'dist/');
export const PAGE = new URL('index.html', BUILD);

/** Whether this installation serves the console: it was built, and CONSOLE does not turn it off. */
export const hasConsole = ({ console: setting }: Pick<Config, 'console'>): boolean => setting === 'on' && existsSync(PAGE);
