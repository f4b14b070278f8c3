import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { findPort } from '../../src/process/find-port.js';
import type { Program } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { type Outcome, runDebianProgram, startDebianProgram } from '../support/debian-program.js';
import { eventually } from '../support/eventually.js';
import { ALERTS_FILE, alertsIn, type Dashboard, expressionsOf, metricsIn, readAlertRules, readDashboard } from '../support/metrics.js';

const TESTS_FILE = ALERTS_FILE.replace('alerts.yml', 'alerts.test.yml');

let folder: string;
beforeAll(() => {
  folder = makeTestFolder();
});
afterAll(async () => await removeTestFolder(folder));

const promtool = async (...args: string[]): Promise<Outcome> => await runDebianProgram('promtool', args, { cwd: folder });

/** Grafana replaces it by the data source that the person chooses. */
const DATASOURCE = ['$', '{datasource}'].join('');

/** Runs the tests of the alerts against other rules. */
async function testRules(rules: object): Promise<Outcome> {
  writeFileSync(path.join(folder, 'alerts.yml'), stringify(rules));
  copyFileSync(TESTS_FILE, path.join(folder, 'alerts.test.yml'));
  return await promtool('test', 'rules', 'alerts.test.yml');
}

describe('the alerts', () => {
  const names = alertsIn(readAlertRules()).map(({ alert }) => alert);

  it('are correct for promtool, and pass their tests', async () => {
    const checked = await promtool('check', 'rules', ALERTS_FILE);
    expect(checked).toEqual({ code: 0, output: expect.stringContaining(`SUCCESS: ${names.length} rules found`) });
    expect(await testRules(readAlertRules())).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('are all expected to fire: the tests miss those that never do', async () => {
    const { groups } = readAlertRules();
    const silent = groups.map(({ name, rules }) => ({ name, rules: rules.map((rule) => ({ ...rule, expr: 'vector(1) == 0' })) }));
    const { code, output } = await testRules({ groups: silent });
    expect([code, names.filter((name) => !output.includes(`alertname="${name}"`))]).toEqual([1, []]);
  });

  it('are all silent for a busy service, of which the tests have every metric that an alert reads', () => {
    const [healthy] = (
      parse(readFileSync(TESTS_FILE, 'utf8')) as { tests: { input_series: { series: string }[]; promql_expr_test: object[] }[] }
    ).tests;
    expect(healthy?.promql_expr_test).toEqual(Array(3).fill(expect.objectContaining({ exp_samples: [] })));
    const given = new Set(healthy?.input_series.flatMap(({ series }) => metricsIn(series)));
    const read = alertsIn(readAlertRules()).flatMap(({ expr }) => metricsIn(expr));
    expect([...new Set(read)].filter((metric) => !given.has(metric))).toEqual([]);
  });
});

/** The types of panels, by their names in a dashboard. */
const PANELS: Readonly<Record<string, string>> = {
  row: 'RowPanel',
  stat: 'With<Partial<Stat>>',
  timeseries: 'With<Partial<TimeSeries>, GraphFieldConfig>',
};

/** A program that declares the dashboard with the types of Grafana's own package. JSON has the values of an enumeration, not their names. */
const toProgram = ({ panels, ...dashboard }: Dashboard): string => `
import type { Dashboard, GraphFieldConfig, Panel, RowPanel } from '@grafana/schema';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type { Options as TimeSeries } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
type With<Options, Fields = {}> = Omit<Panel<Options, Fields>, 'options'> & { options?: Options };
type Json<T> = T extends string ? \`\${T}\` : T extends number ? number : T extends readonly (infer One)[] ? Json<One>[]
  : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T;
export const dashboard: Json<Omit<Dashboard, 'panels'>> = ${JSON.stringify(dashboard)};
${panels.map((panel) => `export const panel${panel.id}: Json<${PANELS[panel.type]}> = ${JSON.stringify(panel)};`).join('\n')}
`;

/** What the TypeScript compiler says about the dashboard; nothing if it has the form that Grafana imports. */
async function compile(dashboard: Dashboard): Promise<string> {
  const compiler = path.resolve('node_modules/typescript/bin/tsc');
  writeFileSync(path.join(folder, 'dashboard.ts'), toProgram(dashboard));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  return await promisify(execFile)(process.execPath, [compiler, ...options, 'dashboard.ts'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the dashboard', () => {
  it('has the form that Grafana imports, according to the types of its package', async () => {
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const dashboard = readDashboard();
    expect(await compile(dashboard)).toBe('');
    const [row, stat, ...others] = dashboard.panels;
    const broken = { ...stat, options: { colorMode: 'backgrounds' } } as typeof stat;
    expect(await compile({ ...dashboard, panels: [row, broken, ...others] as Dashboard['panels'] })).toContain('"backgrounds"');
  });

  it('has expressions that promtool reads, and panels that do not overlap', async () => {
    const rules = expressionsOf(readDashboard()).map((expr, index) => ({ record: `panel:${index}`, expr }));
    writeFileSync(path.join(folder, 'dashboard.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(await promtool('check', 'rules', 'dashboard.yml')).toEqual({
      code: 0,
      output: expect.stringContaining(`${rules.length} rules`),
    });
    const { uid, title, schemaVersion, templating, panels } = readDashboard();
    expect({ uid, title, schemaVersion, templating }).toEqual({
      ...{ uid: 'media-delivery', title: 'Media delivery', schemaVersion: expect.any(Number) },
      templating: { list: [expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' })] },
    });
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, title: name, description = '', datasource } of panels.filter((panel) => panel.type !== 'row')) {
      expect([name, ['stat', 'timeseries'].includes(type), datasource?.uid, description !== '']).toEqual([name, true, DATASOURCE, true]);
    }
  });
});

describe('Prometheus', () => {
  let app: TestApp;
  let prometheus: Program;
  let url: string;
  const ask = async <Data>(question: string): Promise<Data> => {
    const response = await fetch(`${url}/api/v1/${question}`);
    return ((await response.json()) as { data: Data }).data;
  };
  beforeAll(async () => {
    app = await startTestApp({ metricsToken: 'the token of Prometheus' });
    const address = `127.0.0.1:${await findPort('127.0.0.1', 0)}`;
    url = `http://${address}`;
    const job = { job_name: 'media', authorization: { credentials: 'the token of Prometheus' } };
    const configuration = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [ALERTS_FILE],
      scrape_configs: [{ ...job, static_configs: [{ targets: [new URL(app.url).host] }] }],
    };
    writeFileSync(path.join(folder, 'prometheus.yml'), stringify(configuration));
    const args = ['--config.file=prometheus.yml', `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`];
    prometheus = startDebianProgram('prometheus', args, { cwd: folder });
  });
  afterAll(async () => {
    await prometheus?.end('SIGTERM');
    await app?.close();
  });

  it('scrapes the service, and evaluates the alerts and the dashboard on it', async () => {
    const isUp = async () => (await ask<{ result: { value: [number, string] }[] }>('query?query=up')).result[0]?.value[1] === '1';
    await eventually(async () => await isUp().catch(() => false));
    for (const expression of expressionsOf(readDashboard())) {
      const { status } = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      expect([expression, status]).toEqual([expression, 200]);
    }
    const evaluated = async () =>
      (await ask<{ groups: { rules: { name: string; health: string }[] }[] }>('rules')).groups.flatMap(({ rules }) => rules);
    await eventually(async () => (await evaluated()).every(({ health }) => health === 'ok'));
    const names = (await evaluated()).map(({ name }) => name).sort();
    expect(names).toEqual(
      alertsIn(readAlertRules())
        .map(({ alert }) => alert)
        .sort(),
    );
  });
});
