import { DEMO_CLIENT_ID, type DemoLogin, demoLoginFile } from '../embedded/demo.js';
import type { Config } from '../shared/config/index.js';

/** What a newcomer needs to know, once the service answers. */
export function banner(config: Config, login: DemoLogin | null): string {
  const lines = [
    '',
    `  ${config.serviceName} is running.`,
    '',
    `  Service:   ${config.publicUrl}`,
    `  API docs:  ${config.publicUrl}/docs`,
    `  Account:   ${config.publicUrl}/account`,
  ];
  if (login) {
    lines.push('', `  E-mail:    ${login.email}`, `  Password:  ${login.password}`, `  Client:    ${DEMO_CLIENT_ID}`);
    lines.push(`             (kept in ${demoLoginFile(config.dataDir)})`);
  }
  return [...lines, '', '  Ctrl-C stops everything.', ''].join('\n');
}
