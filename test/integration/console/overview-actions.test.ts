/** Actions on connectors in a real browser: each one, its confirmation, and its result for each connector. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { hold } from '../../helpers/browser/hold';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

describeInBrowser('actions on connectors', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  let folder: string;
  let broken: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-console-'));
    broken = join(folder, 'broken');
    await writeFile(broken, '');
    worker = await startConsoleWorker({ group: uniqueName('console') });
  });
  afterAll(async () => {
    await worker.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const opened = async (): Promise<OverviewPage> =>
    await new OverviewPage(await browser.open(`${worker.url}/ui/`)).loaded();
  const names = async (): Promise<string[]> => (await worker.request('GET', '/connectors')).json as string[];

  test('states, tasks and failures are shown, the worst first', async () => {
    await register(worker, 'running');
    await register(worker, 'half', { tasks: '2', fails: 'The disk is full. Free some space.', 'fails.task': '1' });
    await register(worker, 'failed', { fails: 'The table orders is missing.' });
    await register(worker, 'paused');
    await worker.running('paused');
    await worker.request('PUT', '/connectors/paused/pause');
    await register(worker, 'stopped');
    await worker.running('stopped');
    await worker.request('PUT', '/connectors/stopped/stop');
    const overview = await opened();
    for (const [name, state] of [
      ['running', 'running'],
      ['half', 'degraded'],
      ['failed', 'failed'],
      ['paused', 'paused'],
      ['stopped', 'stopped'],
    ] as const)
      await overview.waitForState(name, state);
    expect(await overview.names()).toEqual(['failed', 'half', 'running', 'paused', 'stopped']);
    expect(await overview.row('half').innerText()).toMatch(/1\/2 running\s+1 task failed/);
    expect(await overview.row('half').innerText()).toContain('The disk is full.');
    expect(await overview.row('failed').innerText()).toContain('The table orders is missing.');
    expect(await overview.row('stopped').innerText()).toContain('none');
  });

  test('without a selection, actions say why they are not possible', async () => {
    const overview = await opened();
    const pause = overview.action('Pause');
    expect(await pause.getAttribute('aria-disabled')).toBe('true');
    expect(await pause.getAttribute('title')).toBe('Select connectors first');
    await pause.click({ force: true });
    await overview.page.getByText('Select connectors first.').waitFor();
  });

  test('pause and resume', async () => {
    await register(worker, 'pausable');
    await worker.running('pausable');
    const overview = await opened();
    await overview.select('pausable');
    await overview.action('Pause').click();
    await overview.waitForResult('pausable', 'done');
    await overview.waitForState('pausable', 'paused');
    expect((await worker.status('pausable')).connector.state).toBe('PAUSED');
    await overview.action('Resume').click();
    await overview.waitForResult('pausable', 'done');
    await overview.waitForState('pausable', 'running');
  });

  test('stop asks first, and names what happens', async () => {
    await register(worker, 'stoppable');
    await worker.running('stoppable');
    const overview = await opened();
    await overview.select('stoppable');
    await overview.action('Stop').click();
    await overview.dialog.getByText('The tasks end').waitFor();
    await overview.dialog.getByRole('button', { name: 'Cancel' }).click();
    await overview.dialog.waitFor({ state: 'detached' });
    expect((await worker.status('stoppable')).connector.state).toBe('RUNNING');
    await overview.action('Stop').click();
    await overview.dialog.getByRole('button', { name: 'Stop the connector' }).click();
    await overview.waitForResult('stoppable', 'done');
    await overview.waitForState('stoppable', 'stopped');
    expect((await worker.status('stoppable')).tasks).toEqual([]);
  });

  test('restart, and restart of what is failed: again failed, then done', async () => {
    await register(worker, 'restartable', { fails: 'It is broken.', 'fails.while': broken });
    const overview = await opened();
    await overview.waitForState('restartable', 'failed');
    await overview.select('restartable');
    await overview.action('Restart failed').click();
    await overview.waitForResult('restartable', 'failed');
    expect(await overview.result('restartable').innerText()).toContain('It is broken.');
    await rm(broken);
    await overview.action('Restart failed').click();
    await overview.waitForResult('restartable', 'done');
    await overview.waitForState('restartable', 'running');
    expect(await overview.action('Restart failed').getAttribute('title')).toBe(
      'None of the selected connectors is failed',
    );
    await overview.action('Restart').click();
    await overview.dialog.getByRole('button', { name: 'Restart the connector' }).click();
    await overview.waitForResult('restartable', 'done');
    await worker.running('restartable');
  });

  test('a deletion needs the connector’s name', async () => {
    await register(worker, 'deletable');
    await worker.running('deletable');
    const overview = await opened();
    await overview.select('deletable');
    await overview.action('Delete').click();
    const confirm = overview.dialog.getByRole('button', { name: 'Delete the connector' });
    await confirm.click({ force: true });
    expect(await confirm.getAttribute('aria-disabled')).toBe('true');
    expect(await names()).toContain('deletable');
    await overview.dialog.getByRole('textbox').fill('deletable');
    await confirm.click();
    await overview.waitForResult('deletable', 'done');
    await overview.row('deletable').waitFor({ state: 'detached' });
    expect(await names()).not.toContain('deletable');
  });

  test('several at once: a result for each, refusals with their reason first', async () => {
    const several = ['several-1', 'several-2', 'several-3'];
    for (const name of several) await register(worker, name);
    for (const name of several) await worker.running(name);
    const overview = await opened();
    await overview.select(...several);
    // The page does not see yet that one of them is gone.
    const release = await hold(overview.page, '**/ui/api/overview*');
    await worker.request('DELETE', '/connectors/several-2');
    await overview.action('Pause').click();
    await overview.waitForResult('several-2', 'refused');
    expect(await overview.result('several-2').innerText()).toContain('Unknown connector several-2');
    release();
    await overview.waitForResult('several-1', 'done');
    await overview.waitForResult('several-3', 'done');
    await overview.page.getByText('2 done, 1 refused').first().waitFor();
    for (const name of ['several-1', 'several-3']) expect((await worker.status(name)).connector.state).toBe('PAUSED');
    browser.problems.expect(/404 \(Not Found\).*several-2\/pause/);
  });
});
