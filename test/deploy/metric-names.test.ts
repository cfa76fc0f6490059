/** The page, the dashboard and the alert rules name the metrics that workers export. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboard } from '../../dev/metrics/dashboard';
import { exportedMetrics, type ExportedMetric } from '../../dev/metrics/exported-metrics';
import { metricsPage } from '../../dev/metrics/metrics-page';

const root = join(__dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const rules = (): string[] =>
  [...textOf('deploy/prometheus/alerts.yaml').matchAll(/expr: (.*(?:\n {10}.*)*)/g)].map(
    ([, expression = '']) => expression,
  );
const queries = (): string[] =>
  [...textOf('deploy/grafana/millrace.json').matchAll(/"(?:expr|query)": "((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => JSON.parse(`"${text}"`) as string,
  );

const NAME = /\b(?:kafka|millrace|debezium|process|nodejs)_\w+/g;
const LABELS = /\b((?:kafka|millrace|debezium|process|nodejs)_\w+)\{([^}]*)\}/g;
/** Of Prometheus itself. */
const SCRAPE_LABELS = ['job', 'instance'];
/** Of histograms. */
const SUFFIX = /_(?:bucket|sum|count)$/;

let metrics: ReadonlyMap<string, ExportedMetric>;
beforeAll(async () => {
  metrics = new Map((await exportedMetrics()).map((metric) => [metric.name, metric]));
});
const find = (name: string): ExportedMetric | undefined => metrics.get(name) ?? metrics.get(name.replace(SUFFIX, ''));

test('docs/metrics.md and the dashboard are what `npm run metrics` writes', () => {
  expect(textOf('docs/metrics.md')).toBe(metricsPage([...metrics.values()]));
  expect(JSON.parse(textOf('deploy/grafana/millrace.json'))).toEqual(dashboard());
});

test.each([
  ['alert rules', rules],
  ['the dashboard', queries],
])('%s name existing metrics, with labels that they have', (_what, expressions) => {
  const used = expressions().flatMap((expression) => expression.match(NAME) ?? []);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => find(name) === undefined)).toEqual([]);
  const wrong = expressions().flatMap((expression) =>
    [...expression.matchAll(LABELS)].flatMap(([, name = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)]
        .map(([, label = '']) => label)
        .filter((label) => !SCRAPE_LABELS.includes(label) && !find(name)?.labels.includes(label))
        .map((label) => `${name}{${label}}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['alert rules', rules],
  ['the dashboard', queries],
])('%s: rates and increases are of counters, derivatives of gauges', (_what, expressions) => {
  const of = (functions: string, types: readonly string[]): string[] =>
    expressions().flatMap((expression) =>
      [...expression.matchAll(new RegExp(`\\b(?:${functions})\\((\\w+)`, 'g'))]
        .map(([, name = '']) => name)
        .filter((name) => !types.includes(find(name)?.type ?? '') && !SUFFIX.test(name)),
    );
  expect(of('rate|increase|irate', ['counter'])).toEqual([]);
  expect(of('deriv|delta', ['gauge'])).toEqual([]);
});

test('each alert has a unit test, and each metric a help text', () => {
  const alerts = [...textOf('deploy/prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  const tested = textOf('deploy/prometheus/alerts.test.yaml');
  expect(alerts.length).toBeGreaterThan(15);
  expect(alerts.filter((name) => !tested.includes(`alertname="${name}"`))).toEqual([]);
  expect([...metrics.values()].filter(({ help }) => help === '')).toEqual([]);
});

test('docs/operations.md names existing metrics', () => {
  const used = textOf('docs/operations.md').match(
    /\b(?:kafka_(?:connect|producer|consumer)|millrace_(?:sink|postgres|task)|debezium_metrics)_\w+/g,
  );
  expect((used ?? []).filter((name) => find(name) === undefined)).toEqual([]);
});
