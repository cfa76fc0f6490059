/** Writes the files that describe the metrics: docs/metrics.md and the dashboard. Run it after a change of metrics. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dashboard } from './dashboard';
import { exportedMetrics } from './exported-metrics';
import { metricsPage } from './metrics-page';

const root = join(__dirname, '..', '..');

async function main(): Promise<void> {
  await writeFile(join(root, 'docs', 'metrics.md'), metricsPage(await exportedMetrics()));
  await writeFile(join(root, 'deploy', 'grafana', 'millrace.json'), `${JSON.stringify(dashboard(), null, 2)}\n`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
