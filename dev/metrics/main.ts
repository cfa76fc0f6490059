/**
 * Writes the files that describe the metrics: docs/metrics.md, the dashboard, and the chart's copies of
 * the dashboard and the alert rules. Run it after a change of metrics or rules.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dashboard } from './dashboard';
import { exportedMetrics } from './exported-metrics';
import { metricsPage } from './metrics-page';

const root = join(__dirname, '..', '..');

async function main(): Promise<void> {
  const deploy = join(root, 'deploy');
  const inChart = join(deploy, 'helm', 'millrace', 'files');
  await writeFile(join(root, 'docs', 'metrics.md'), metricsPage(await exportedMetrics()));
  await writeFile(join(deploy, 'grafana', 'millrace.json'), `${JSON.stringify(dashboard(), null, 2)}\n`);
  // Helm reads only files inside a chart.
  await copyFile(join(deploy, 'grafana', 'millrace.json'), join(inChart, 'dashboard.json'));
  await copyFile(join(deploy, 'prometheus', 'alerts.yaml'), join(inChart, 'alerts.yaml'));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
