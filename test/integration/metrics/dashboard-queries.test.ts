/** A real Prometheus answers each query of the dashboard. */
import { dashboard } from '../../../dev/metrics/dashboard';
import { expand, readPanels, timesOf, type Panel, type PanelData } from '../../../dev/metrics/dashboard-data';
import { dashboardPage, formatValue, pageHeight } from '../../../dev/metrics/dashboard-page';
import { SCRAPE_SECONDS, startPrometheus } from '../../../dev/metrics/prometheus';
import { installPrometheus } from '../../../dev/services/debian-programs';
import { startWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const missing = installPrometheus();
if (missing !== null) process.stderr.write(`SKIPPED: no query of the dashboard is run: ${missing}\n`);
const testWithPrometheus = missing === null ? test : test.skip;
const { panels } = dashboard() as { panels: readonly Panel[] };

testWithPrometheus('Prometheus accepts every query of the dashboard, and shows a running sink in it', async () => {
  const worker = await startWorker({ group: uniqueName('dashboard') });
  const prometheus = await startPrometheus([worker.url]);
  try {
    await worker.ready();
    await worker.register({ name: 'sink', config: fileSinkConfig(uniqueName('topic'), '/dev/null') });
    await worker.running('sink');
    const read = async (): Promise<ReadonlyMap<string, PanelData>> => {
      const to = Math.floor(Date.now() / 1000);
      const span = { from: to - 60, to, step: SCRAPE_SECONDS, scrape: SCRAPE_SECONDS };
      return new Map((await readPanels(prometheus.url, panels, span)).map((panel) => [panel.title, panel]));
    };
    const last = (data: ReadonlyMap<string, PanelData>, title: string) => data.get(title)?.series[0]?.values.at(-1);
    const lagOf = (data: ReadonlyMap<string, PanelData>) => data.get('Sink: lag in records')?.series[0]?.legend;
    // A task runs before it has partitions, and lags.
    const data = await waitFor('a scrape of the running task and its lag', async () => {
      const now = await read();
      return last(now, 'Tasks running') === 1 && lagOf(now) !== undefined && now;
    });
    expect(last(data, 'Workers up')).toBe(1);
    expect(last(data, 'Connectors')).toBe(1);
    expect(lagOf(data)).toBe('sink-0');
    expect(data.get('Memory')?.series[0]?.legend).toBe(new URL(worker.url).host);
  } finally {
    await prometheus.stop();
    await worker.stop();
  }
});

test('variables of a query are replaced as Grafana replaces them', () => {
  const span = { from: 0, to: 10, step: 5, scrape: 2 };
  expect(expand('rate(a{job=~"$job",connector=~"$connector"}[$__rate_interval])', span)).toBe(
    'rate(a{job=~".*",connector=~".*"}[8s])',
  );
  expect(timesOf(span)).toEqual([0, 5, 10]);
});

test('the page has each panel, without markup from names', () => {
  const span = { from: 0, to: 4, step: 2, scrape: 2 };
  const data = panels.slice(0, 12).map((panel) => ({ ...panel, series: [{ legend: '<b>', values: [1, null, 3] }] }));
  const page = dashboardPage(data, span);
  for (const { title } of data) expect(page).toContain(title);
  expect(page).not.toContain('<b>');
  expect(pageHeight(data)).toBeGreaterThan(200);
});

test.each([
  [0, 's', '0 s'],
  [0.25, 's', '250 ms'],
  [90, 's', '1.5 min'],
  [1536, 'bytes', '1.5 KiB'],
  [0, 'Bps', '0 B/s'],
  [0.5, 'percentunit', '50%'],
  [12_340, 'ops', '12.3 K/s'],
  [7, 'none', '7'],
])('%d in %s is shown as %s', (value, unit, shown) => {
  expect(formatValue(value, unit)).toBe(shown);
});
