/** Creating a connector: from a form, and from pasted documents. */
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { show } from './console-pages';
import { CLASS, startConsoleWorker } from './console-worker';

describeInBrowser('creating a connector', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
  });
  afterAll(() => worker.stop());
  const opened = async (): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/`);
    await page.getByRole('button', { name: 'Create connector' }).click();
    await page.getByRole('heading', { name: 'Create a connector', level: 1 }).waitFor();
    return page;
  };
  const paste = async (text: string): Promise<Page> => {
    const page = await opened();
    await page.getByRole('tab', { name: 'Paste a document' }).click();
    await page.getByLabel('Document of a connector').fill(text);
    await page.getByRole('button', { name: 'Continue' }).click();
    return page;
  };
  const configOf = async (name: string): Promise<Record<string, string>> => {
    await worker.running(name);
    return (await worker.request('GET', `/connectors/${name}/config`)).json as Record<string, string>;
  };

  test('from the form: missing keys are marked, and the new connector is shown', async () => {
    const page = await opened();
    await page.getByRole('searchbox').fill('scripted');
    await page.getByRole('button', { name: /^ScriptedSourceConnector/ }).click();
    const create = page.getByRole('button', { name: 'Create connector' });
    await page.getByLabel('Tasks max').fill('many');
    await page.getByText('Not a number of type INT').first().waitFor();
    await create.click();
    await page.getByText('Missing required configuration "name"').first().waitFor();
    await page.getByLabel('Connector name').fill('from-form');
    await page.getByLabel('Tasks max').fill('2');
    await page.getByText('Not a number of type INT').first().waitFor({ state: 'detached' });
    await page.getByText('Missing required configuration "name"').first().waitFor({ state: 'detached' });
    await create.click();
    await page.getByRole('heading', { name: 'from-form', level: 1 }).waitFor();
    expect(await configOf('from-form')).toEqual({
      name: 'from-form',
      'connector.class': CLASS,
      'tasks.max': '2',
    });
  });

  test('from a registration document, with its secret hidden in what is shown', async () => {
    const page = await paste(
      JSON.stringify({ name: 'from-json', config: { 'connector.class': CLASS, 'tasks.max': 1, secret: 'hunter2' } }),
    );
    await page.getByRole('button', { name: 'Create connector' }).waitFor();
    expect(await page.getByRole('complementary', { name: 'Create' }).innerText()).not.toContain('hunter2');
    await page.getByRole('button', { name: 'Create connector' }).click();
    await page.getByRole('heading', { name: 'from-json', level: 1 }).waitFor();
    expect(await configOf('from-json')).toMatchObject({ 'tasks.max': '1', secret: 'hunter2' });
  });

  test('from lines key=value', async () => {
    const page = await paste(`name=from-lines\nconnector.class=${CLASS}\ntasks.max=1\n`);
    await page.getByRole('button', { name: 'Create connector' }).click();
    await page.getByRole('heading', { name: 'from-lines', level: 1 }).waitFor();
    expect(await configOf('from-lines')).toMatchObject({ 'tasks.max': '1' });
  });

  test('a document that cannot be read names the place', async () => {
    const page = await paste('{"name": "a",\n "config": }');
    const field = page.getByLabel('Document of a connector');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page
      .getByText(/^line 2, /i)
      .first()
      .waitFor();
  });

  test('a name that exists is refused with the worker’s reason, and what was typed remains', async () => {
    await worker.register({ name: 'taken', config: { 'connector.class': CLASS, 'tasks.max': '1' } });
    const page = await paste(JSON.stringify({ name: 'taken', config: { 'connector.class': CLASS, tasks: '1' } }));
    browser.problems.expect(/409 \(Conflict\)/);
    await page.getByRole('button', { name: 'Create connector' }).click();
    await page.getByText('Connector taken already exists').first().waitFor();
    expect(await page.getByLabel('Connector name').inputValue()).toBe('taken');
  });

  test('a hostile document is text', async () => {
    const page = await paste(
      JSON.stringify({
        name: '<img src=x onerror=alert(1)>',
        config: { 'connector.class': '<script>alert(2)</script>', '"><img src=x onerror=alert(3)>': '</script>' },
      }),
    );
    browser.problems.expect(/404 \(Not Found\).*connector-plugins/);
    await page.getByText('<script>alert(2)</script>').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await show(page, '#/create');
  });
});
