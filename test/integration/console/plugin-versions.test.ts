/** A plugin in several versions: which one runs, where it is, and how a person chooses another. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { show } from './console-pages';
import { CLASS, startConsoleWorker } from './console-worker';

const VERSION = 'connector.plugin.version';

describeInBrowser('several versions of a plugin', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-versions-'));
    for (const version of ['1.0.0', '2.0.0']) {
      const copy = join(folder, `scripted-${version}`);
      await cp(join(__dirname, 'fixtures', 'scripted-source'), copy, { recursive: true });
      const manifest = join(copy, 'package.json');
      await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"1.0.0"', `"${version}"`));
    }
    worker = await startConsoleWorker({ group: uniqueName('console'), settings: { 'plugin.path': folder } });
  });
  afterAll(async () => {
    await worker.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const opened = async (fragment: string): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, fragment);
    return page;
  };
  const configOf = async (name: string): Promise<Record<string, string>> => {
    await worker.running(name);
    return (await worker.request('GET', `/connectors/${name}/config`)).json as Record<string, string>;
  };

  test('the list has both with their places, and creates a connector with the older one', async () => {
    const page = await opened('#/plugins?q=Scripted');
    const list = page.getByRole('list', { name: 'Plugins' });
    const old = list.locator('> li', { hasText: '1.0.0' });
    await list.locator('> li', { hasText: join(folder, 'scripted-2.0.0') }).waitFor();
    await old.getByText(join(folder, 'scripted-1.0.0')).waitFor();
    await old.getByRole('button', { name: /^ScriptedSourceConnector/ }).click();
    await old.getByRole('button', { name: `Create a connector with ${CLASS}` }).click();
    const version = page.getByLabel('Version that runs');
    await version.waitFor();
    expect(await version.inputValue()).toBe('[1.0.0]');
    await page.getByLabel('Connector name').fill('older');
    await page.getByText('No errors').waitFor();
    await page.getByRole('button', { name: 'Create connector' }).click();
    await page.getByRole('heading', { name: 'older', level: 1 }).waitFor();
    expect(await configOf('older')).toMatchObject({ [VERSION]: '[1.0.0]' });
    const facts = page.getByLabel('About the connector');
    await facts.getByText('1.0.0', { exact: true }).waitFor();
    await facts.getByText(join(folder, 'scripted-1.0.0')).waitFor();
    await facts.getByText('Node.js', { exact: true }).waitFor();
  });

  test('the form chooses: the newest one needs no key, and the choice is part of the document', async () => {
    const page = await opened(`#/create?class=${CLASS}`);
    const version = page.getByLabel('Version that runs');
    expect(await version.inputValue()).toBe('');
    const document = page.getByLabel('document');
    await version.selectOption({ label: `1.0.0 · Node.js · ${join(folder, 'scripted-1.0.0')}` });
    await document.getByText(`"${VERSION}": "[1.0.0]"`).waitFor();
    await version.selectOption({ label: `2.0.0 · Node.js · ${join(folder, 'scripted-2.0.0')}` });
    await document.getByText(`"${VERSION}"`).waitFor({ state: 'detached' });
  });

  test('a version that does not exist gives the worker’s answer', async () => {
    const page = await opened('#/create');
    await page.getByRole('tab', { name: 'Paste a document' }).click();
    await page
      .getByLabel('Document of a connector')
      .fill(JSON.stringify({ name: 'wrong', config: { 'connector.class': CLASS, [VERSION]: '[9.9]' } }));
    await page.getByRole('button', { name: 'Continue' }).click();
    const answer = 'available versions: [1.0.0, 2.0.0]';
    await page.getByText(answer).first().waitFor();
    const version = page.getByLabel('Version that runs');
    expect(await version.inputValue()).toBe('[9.9]');
    await version.selectOption('[1.0.0]');
    await page.getByText(answer).first().waitFor({ state: 'detached' });
    await page.getByText('No errors').waitFor();
  });

  test('the configuration of a connector chooses another one', async () => {
    await worker.register({ name: 'moved', config: { 'connector.class': CLASS, 'tasks.max': '1' } });
    await worker.running('moved');
    const page = await opened('#/connectors/moved?tab=config');
    await page.getByLabel('Version that runs').selectOption('[1.0.0]');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the configuration?' });
    expect(await dialog.innerText()).toContain(VERSION);
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('About the connector').getByText('1.0.0', { exact: true }).waitFor();
    expect(await configOf('moved')).toMatchObject({ [VERSION]: '[1.0.0]' });
  });

  test('a connector in a JVM says so, with its state on each worker', async () => {
    await worker.register({ name: 'in-jvm', config: { 'connector.class': CLASS, 'tasks.max': '1' } });
    await worker.running('in-jvm');
    const page = await browser.open(`${worker.url}/ui/`);
    // What a worker with jars answers: the tests of such workers are those of Java.
    await page.route('**/ui/api/connectors/in-jvm', async (route) => {
      const response = await route.fetch();
      const details = (await response.json()) as object;
      const jvm = {
        ...{ worker: 'w:1', state: 'up', isOwn: true, pid: 4711, heapUsed: 1048576, heapMax: 2097152 },
        ...{ residentBytes: 3145728, restarts: 0, hungThreads: 0, silentSeconds: 0 },
      };
      await route.fulfill({
        response,
        json: {
          ...details,
          plugin: { class: CLASS, version: '3', location: '/jars/<b>x</b>', runsIn: 'jvm' },
          jvms: [jvm, { ...jvm, worker: 'w:2', state: 'silent', silentSeconds: 60 }],
        },
      });
    });
    await show(page, '#/connectors/in-jvm');
    const facts = page.getByLabel('About the connector');
    await facts.getByText('JVM', { exact: true }).waitFor();
    await facts.getByText('/jars/<b>x</b>').waitFor();
    await facts
      .getByText('process 4711 · heap 1 MiB of 2 MiB · 3 MiB in all · of this connector alone')
      .first()
      .waitFor();
    await facts.getByText('has not answered for 1 min').waitFor();
  });
});
