/** The pages of loggers, changes and plugins, and a connector's log lines, used as a person does. */
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { show } from './console-pages';
import { CLASS, register, startConsoleWorker } from './console-worker';

describeInBrowser('the pages of the group', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    await register(worker, 'watched');
    await worker.running('watched');
  });
  afterAll(() => worker.stop());
  const opened = async (fragment: string): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, fragment);
    return page;
  };

  test('a level is set, for the worker and the loggers below', async () => {
    const page = await opened('#/loggers');
    const form = page.getByRole('form', { name: 'Set a log level' });
    await form.getByLabel('Logger').fill('millrace.kafka');
    await form.getByLabel('Level', { exact: true }).selectOption('WARN');
    await form.getByRole('button', { name: 'Set level' }).click();
    const row = page.getByRole('row').filter({ has: page.getByText('millrace.kafka', { exact: true }) });
    await row.getByText('WARN', { exact: true }).waitFor();
    const { json } = await worker.request('GET', '/admin/loggers/millrace.kafka');
    expect(json).toMatchObject({ level: 'WARN' });
  });

  test('changes: what, of which connector, and the values of changed keys', async () => {
    await worker.request('PATCH', '/connectors/watched/config', {
      'fails.while': '/nowhere',
      password: 'hunter2-hunter2',
    });
    await worker.running('watched');
    const page = await opened('#/changes');
    const change = page.getByRole('listitem').filter({ hasText: 'config changed' }).first();
    await change.getByText('2 keys').click();
    const text = await change.innerText();
    expect(text).toContain('watched');
    expect(text).toContain('/nowhere');
    expect(await page.content()).not.toContain('hunter2');
    await page.getByLabel('Filter changes by connector, kind, user or key').fill('connector created');
    await waitFor('the filter', async () => (await page.getByText('config changed').count()) === 0);
    await page.getByText('connector created').first().waitFor();
  });

  test('plugins: each key with its documentation, and the way to a new connector', async () => {
    const page = await opened('#/plugins');
    await page.getByLabel('Filter plugins by class, type or version').fill('Scripted');
    const list = page.getByRole('list', { name: 'Plugins' });
    await waitFor('the filter', async () => (await list.locator('> li').count()) === 1);
    await list.getByText('ScriptedSourceConnector', { exact: true }).click();
    await list.getByText('fails.while').first().waitFor();
    await list.getByRole('button', { name: `Create a connector with ${CLASS}` }).click();
    await page.getByLabel('Tasks max').waitFor();
  });

  test('log lines of a connector, filtered by level and text', async () => {
    const page = await opened('#/connectors/watched?tab=logs');
    const lines = page.getByRole('region', { name: 'Log lines' });
    await lines.getByText('Connector watched is RUNNING').first().waitFor();
    for (let i = 0; i < 3; i++) {
      await worker.request('PUT', '/connectors/watched/pause');
      await worker.statusWhen('watched', ({ connector }) => connector.state === 'PAUSED');
      await worker.request('PUT', '/connectors/watched/resume');
      await worker.statusWhen('watched', ({ connector }) => connector.state === 'RUNNING');
    }
    const paused = lines.locator('.log-line', { hasText: '/connectors/watched/pause' });
    await paused.getByText('×3 since').waitFor();
    expect(await paused.count()).toBe(1);
    await page.getByText(/^\d+ lines, \d+ different$/).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Equal lines once').uncheck();
    await waitFor('each line', async () => (await paused.count()) === 3);
    await page.getByLabel('Filter log lines').fill('no line has this');
    await lines.getByText('Connector watched is RUNNING').first().waitFor({ state: 'detached' });
  });
});
