/** The page of one connector: what is wrong, its configuration and its offsets, changed as a person does it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

describeInBrowser('the page of a connector', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  let folder: string;
  let broken: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-console-'));
    broken = join(folder, 'broken');
    worker = await startConsoleWorker({ group: uniqueName('console') });
  });
  afterAll(async () => {
    await worker.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const opened = async (name: string, tab = 'status'): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, `#/connectors/${name}?tab=${tab}`);
    return page;
  };
  const stored = async (name: string): Promise<Record<string, string>> =>
    (await worker.request('GET', `/connectors/${name}/config`)).json as Record<string, string>;

  test('shows what is wrong first, with the trace folded, and restarts one task', async () => {
    await writeFile(broken, '');
    await register(worker, 'failing', {
      tasks: '2',
      fails: 'The disk is full.',
      'fails.task': '1',
      'fails.while': broken,
    });
    await worker.statusWhen('failing', ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
    const page = await opened('failing');
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByRole('heading', { name: 'The disk is full.' }).waitFor();
    expect(await wrong.innerText()).toMatch(/Task 1 failed/);
    expect(await wrong.locator('pre').isVisible()).toBe(false);
    await wrong.getByText(/^Trace/).click();
    expect(await wrong.locator('pre').innerText()).toContain('scripted-source');
    await rm(broken);
    await page.getByRole('button', { name: 'Restart task 1' }).click();
    await wrong.waitFor({ state: 'detached' });
    await worker.running('failing', 2);
  });

  test('a configuration: errors while typing, a diff before it is saved, and secrets that stay hidden and kept', async () => {
    await register(worker, 'edited', { tasks: '1', 'fails.while': '/a', password: 'hunter2-hunter2' });
    const page = await opened('edited', 'config');
    expect(await page.content()).not.toContain('hunter2');
    const tasks = page.getByLabel('Tasks max');
    await tasks.fill('two');
    await page.getByText('Not a number of type INT').first().waitFor();
    const save = page.getByRole('button', { name: 'Review and save' });
    await waitFor('the objection', async () => (await save.getAttribute('aria-disabled')) === 'true');
    await tasks.fill('3');
    await page.getByText('Not a number of type INT').first().waitFor({ state: 'detached' });
    await waitFor('the end of the check', async () => (await save.getAttribute('aria-disabled')) === null);
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Save the configuration?' });
    expect(await dialog.innerText()).toMatch(/tasks\.max[\s\S]*1[\s\S]*3/);
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await stored('edited')).toMatchObject({ 'tasks.max': '3', password: 'hunter2-hunter2' });
  });

  test('a change of another caller is shown, and both are kept', async () => {
    await register(worker, 'contended', { tasks: '1', 'fails.while': '/a' });
    const page = await opened('contended', 'config');
    await page.getByLabel('Tasks max').fill('2');
    await worker.request('PATCH', '/connectors/contended/config', { 'fails.while': '/b' });
    const alert = page.getByRole('alert').filter({ hasText: 'The configuration was changed while you edited it' });
    await alert.getByRole('button', { name: 'Keep their changes and mine' }).click();
    const save = page.getByRole('button', { name: 'Review and save' });
    await waitFor('the end of the check', async () => (await save.getAttribute('aria-disabled')) === null);
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save 1 change' }).click();
    await waitFor('the new config', async () => (await stored('contended'))['tasks.max'] === '2');
    expect(await stored('contended')).toMatchObject({ 'fails.while': '/b' });
  });

  test('changes that are not saved are not lost without a question', async () => {
    await register(worker, 'guarded');
    const page = await opened('guarded', 'config');
    await page.getByLabel('Tasks max').fill('7');
    await page.getByRole('tab', { name: 'Status' }).click();
    await page.getByRole('tab', { name: 'Configuration (unsaved)' }).click();
    expect(await page.getByLabel('Tasks max').inputValue()).toBe('7');
    await page.getByRole('link', { name: 'Workers' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('Tasks max').inputValue()).toBe('7');
    await page.getByRole('link', { name: 'Workers' }).click();
    await question.getByRole('button', { name: 'Leave, and lose the changes' }).click();
    await page.getByRole('heading', { name: 'Workers', level: 1 }).waitFor();
  });

  test('offsets are reset: the connector is stopped for it, and reads again', async () => {
    const file = join(folder, 'lines.txt');
    await writeFile(file, 'one\ntwo\n');
    const config = { 'connector.class': 'FileStreamSource', topic: uniqueName('lines'), file, 'tasks.max': '1' };
    await worker.register({ name: 'lines', config });
    await worker.running('lines');
    const page = await opened('lines', 'offsets');
    await waitFor('the offset', async () => {
      await page.getByRole('button', { name: 'Read again' }).click();
      return (await page.getByRole('tabpanel').innerText()).includes('1 partition');
    });
    await page.getByRole('button', { name: 'Reset all offsets' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset all offsets?' });
    await dialog.getByText('The connector is stopped first').waitFor();
    await dialog.getByLabel(/to confirm/).fill('lines');
    await dialog.getByRole('button', { name: 'Reset all offsets' }).click();
    await page.getByText('The offsets are changed').waitFor();
    await worker.running('lines');
  });

  test('a deletion by another caller is shown', async () => {
    await register(worker, 'vanishing');
    const page = await opened('vanishing');
    browser.problems.expect(/404 \(Not Found\)/);
    await worker.request('DELETE', '/connectors/vanishing');
    await page.getByText('This connector has been deleted').waitFor();
  });

  test('when the worker dies, the page keeps what it shows and allows nothing', async () => {
    const killed = await startConsoleWorker({ group: uniqueName('console') });
    await register(killed, 'orders');
    const page = await browser.open(`${killed.url}/ui/`);
    await show(page, '#/connectors/orders?tab=config');
    browser.problems.expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
    await page.getByLabel('Tasks max').fill('7');
    await killed.crash();
    await page.getByRole('alert').filter({ hasText: 'does not answer' }).first().waitFor();
    expect(await page.getByLabel('Tasks max').inputValue()).toBe('7');
    for (const label of ['Pause', 'Stop', 'Restart', 'Delete'])
      await page
        .locator('button[title="The worker does not answer"]', { hasText: new RegExp(`^${label}`) })
        .first()
        .waitFor();
  });
});
