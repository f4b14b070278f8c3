import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The names of the metrics in the text that Prometheus reads; a histogram has one. */
export const metricNames = (text: string): string[] => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);

/** The value of a series such as `queue_length{queue="jobs",state="ready"}`, labels in the order of the text; null: it is absent. */
export function valueIn(text: string, series: string): number | null {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length));
}

/** By how much series rise while something happens, in their order; the text before and after comes from `read`. */
export async function rises(
  read: () => Promise<string>,
  series: readonly string[],
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const before = await read();
  await work();
  const after = await read();
  return Object.fromEntries(series.map((one) => [one, (valueIn(after, one) ?? 0) - (valueIn(before, one) ?? 0)]));
}

/** A rule of ops/prometheus/alerts.yml. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

export interface AlertRules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

export const ALERTS_FILE = path.join(ROOT, 'ops/prometheus/alerts.yml');

export const readAlertRules = (): AlertRules => parse(read('ops/prometheus/alerts.yml')) as AlertRules;

export const alertsIn = ({ groups }: AlertRules): Alert[] => groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[] };
  readonly panels: readonly Panel[];
}

export const readDashboard = (): Dashboard => JSON.parse(read('ops/grafana/media-delivery.json')) as Dashboard;

/** The expressions of a dashboard, with an interval in place of Grafana's variable. */
export const expressionsOf = ({ panels }: Dashboard): string[] =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));

const KEYWORDS = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset']);

/** The names of the metrics that an expression of PromQL reads, without the suffixes of histograms. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b\w+\s*\(/g, '(');
  const names = [...bare.matchAll(/\b[a-z_]\w*\b/gi)].map(([name]) => name).filter((name) => !KEYWORDS.has(name));
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}
