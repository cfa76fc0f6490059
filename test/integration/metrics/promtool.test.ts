/** Prometheus' own checks of the rules, and of what a worker returns. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPrometheus } from '../../../dev/services/debian-programs';
import { startWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';

const missing = installPrometheus();
if (missing !== null) process.stderr.write(`SKIPPED: rules and metrics are not checked by Prometheus: ${missing}\n`);
const prometheusTest = missing === null ? test : test.skip;
const folder = join(__dirname, '..', '..', '..', 'deploy', 'prometheus');

function promtool(args: readonly string[], input?: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

prometheusTest.each([['check config prometheus.yaml'], ['check rules alerts.yaml'], ['test rules alerts.test.yaml']])(
  'promtool %s',
  (command) => {
    const { status, output } = promtool(command.split(' '));
    expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  },
);

prometheusTest('promtool check metrics: the text of a worker is valid', async () => {
  const worker = await startWorker({ group: uniqueName('promtool') });
  try {
    await worker.ready();
    const { body } = await worker.request('GET', '/metrics');
    const { status, output } = promtool(['check', 'metrics'], body);
    // 3: advice about names, which are Java's.
    expect([0, 3]).toContain(status);
    expect(output).not.toMatch(/error while linting/);
  } finally {
    await worker.stop();
  }
});
