import { DEMO_CLIENT_ID, type Demo, demoLoginFile } from '../embedded/demo.js';
import type { Config } from '../shared/config/index.js';

/** What a newcomer needs to know, once the service answers. Each line can be found by `Name: value`. */
export function banner(config: Config, made: Demo | null): string {
  const { publicUrl, serviceName, dataDir, s3Endpoint } = config;
  const storage = s3Endpoint && { Storage: s3Endpoint };
  const addresses = {
    Service: publicUrl,
    'API docs': `${publicUrl}/docs`,
    Account: `${publicUrl}/account`,
    ...storage,
    ...(made && { Dropsite: made.dropsiteUrl }),
  };
  const demo = made && { 'E-mail': made.email, Password: made.password, Client: DEMO_CLIENT_ID, 'Kept in': demoLoginFile(dataDir) };
  const sections = [[`  ${serviceName} is running.`], aligned(addresses), demo ? aligned(demo) : [], ['  Ctrl-C stops everything.']];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `\n${text.join('\n\n')}\n`;
}

const NAME_WIDTH = 10;

const aligned = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `${name.padStart(NAME_WIDTH)}: ${value}`);
