/** What a person sees is the truth: reasons in full, what can be done about them, and what nothing is known of. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startBroker } from '../../../dev/services/broker';
import type { RunningKafka } from '../../../dev/services/kafka';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { overflow, show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

const JSON_VALUES = {
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
};
const deadLetters = (topic: string): Record<string, string> => ({
  'errors.tolerance': 'all',
  'errors.deadletterqueue.topic.name': topic,
  'errors.deadletterqueue.topic.replication.factor': '1',
});

describeInBrowser('health in the console', () => {
  const browser = useBrowser();
  let broker: RunningKafka;
  let clients: Clients;
  let worker: StartedWorker;
  beforeAll(async () => {
    // A broker of its own: it is stopped.
    broker = await startBroker();
    clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
    worker = await startConsoleWorker({
      bootstrapServers: broker.bootstrapServers,
      group: uniqueName('console'),
      settings: { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000' },
    });
  });
  afterAll(async () => {
    await worker?.stop();
    await clients?.close();
    await broker?.stop();
  });

  /** A sink that has failed at the second of three records. */
  const failedSink = async (name: string): Promise<{ readonly topic: string; readonly file: string }> => {
    const topic = await clients.topic(1);
    const file = join(worker.folder, `${name}.txt`);
    await worker.register({ name, config: fileSinkConfig(topic, file, JSON_VALUES) });
    await worker.running(name);
    await clients.send(topic, ['{"n":1}'], 0);
    await waitFor('the first record', async () => (await readFile(file, 'utf8').catch(() => '')).length > 0);
    await clients.send(topic, ['no json', '{"n":3}'], 0);
    await worker.statusWhen(name, ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
    return { topic, file };
  };
  const reasonsOf = async (page: Page, name: string) => {
    await show(page, `#/connectors/${name}`);
    return page.getByRole('region', { name: 'What is wrong' });
  };

  test('all records are dead letters: degraded, with the failed records per second, in the list and on the page', async () => {
    const topic = await clients.topic(1);
    const letters = uniqueName('letters');
    const config = fileSinkConfig(topic, join(worker.folder, 'poisoned.txt'), {
      ...JSON_VALUES,
      ...deadLetters(letters),
    });
    await worker.register({ name: 'poisoned', config });
    await worker.running('poisoned');
    await clients.send(
      topic,
      Array.from({ length: 500 }, (_, i) => `not json ${i}`),
      0,
    );
    const page = await browser.open(`${worker.url}/ui/`);
    const overview = await new OverviewPage(page).loaded();
    const row = overview.row('poisoned');
    await row.filter({ hasText: '500 in all' }).waitFor();
    await overview.waitForState('poisoned', 'degraded');
    expect(await row.innerText()).toMatch(/Task 0 has given up 500 records since it started/);
    const wrong = await reasonsOf(page, 'poisoned');
    expect(await wrong.innerText()).toContain(`See why in the dead letters of ${letters}`);
    expect(await axe(page)).toEqual([]);
  });

  test('a task that is disconnected: why, since when, the next try, and no lag of before', async () => {
    await register(worker, 'away', { down: 'The queue at q:1 refuses connections', lag: '90' });
    await worker.running('away');
    const page = await browser.open(`${worker.url}/ui/`);
    const overview = await new OverviewPage(page).loaded();
    await overview.waitForState('away', 'degraded');
    const text = await overview.row('away').innerText();
    expect(text).toContain('Task 0 is disconnected: The queue at q:1 refuses connections.');
    expect(text).toMatch(/next try in (?:9 min \d+ s|10 min)/);
    expect(text).not.toContain('1 min 30 s');
    const wrong = await reasonsOf(page, 'away');
    expect(await wrong.innerText()).toMatch(
      /Make the system reachable again[\s\S]*next try in[\s\S]*HEALTH_DISCONNECTED/,
    );
    await show(page, '#/changes');
    const change = page.locator('.change', { hasText: 'disconnected' }).filter({ hasText: 'away' });
    expect(await change.first().innerText()).toContain('The queue at q:1 refuses connections');
  });

  test('a failed record is skipped: the dialog says what is lost, and what happened at each step', async () => {
    const { topic, file } = await failedSink('skipping');
    const page = await browser.open(`${worker.url}/ui/`);
    const wrong = await reasonsOf(page, 'skipping');
    expect(await wrong.innerText()).toContain(`(topic ${topic}, partition 0, offset 1`);
    await wrong.getByRole('button', { name: 'Skip to offset 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Skip the record?' });
    await dialog.getByText('1 record is skipped, and never delivered').waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop, skip and resume' }).click();
    await dialog.getByText('The connector is resumed at offset 2.').waitFor();
    const steps = await dialog.getByRole('log').getByRole('listitem').allInnerTexts();
    expect(steps.map((step) => step.replace(/\s+/g, ' '))).toEqual([
      'done: Stopping the connector…',
      'done: Changing the offsets…',
      'done: Resuming the connector…',
      'done: The connector is resumed at offset 2.',
    ]);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await worker.running('skipping');
    await waitFor('the third record', async () => (await readFile(file, 'utf8')).split('\n').length === 3);
    await wrong.waitFor({ state: 'detached' });
  });

  test('a dead letter queue is set: what changes is shown before, and the connector continues', async () => {
    const { file } = await failedSink('lettering');
    const page = await browser.open(`${worker.url}/ui/`);
    const wrong = await reasonsOf(page, 'lettering');
    await wrong.getByRole('button', { name: 'Set a dead letter queue' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a dead letter queue?' });
    await dialog.getByLabel('Replicas').fill('1');
    expect(await dialog.locator('.diff').innerText()).toMatch(
      /topic\.name[\s\S]*lettering-dead-letters[\s\S]*factor[\s\S]*1[\s\S]*errors\.tolerance[\s\S]*all/,
    );
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save and restart' }).click();
    await dialog.getByText('The configuration is saved, and the tasks restart with it.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await waitFor('the third record', async () => (await readFile(file, 'utf8')).split('\n').length === 3);
    expect((await worker.request('GET', '/connectors/lettering/config')).json).toMatchObject({
      ...deadLetters('lettering-dead-letters'),
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    // The record is a dead letter now, which is said as well.
    await wrong.getByText(/Task 0 has given up 1 record/).waitFor();
  });

  test('what failed is restarted after a question, also on a phone', async () => {
    await failedSink('restarting');
    const page = await browser.open(`${worker.url}/ui/`, { viewport: PHONE });
    const wrong = await reasonsOf(page, 'restarting');
    expect(await overflow(page)).toBe(0);
    await wrong.getByRole('button', { name: 'Restart what failed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restart what failed?' });
    expect(await dialog.innerText()).toContain('If the cause still exists, they fail again');
    await dialog.getByRole('button', { name: 'Restart', exact: true }).click();
    await dialog.getByText(/^(?:done: )?The restart of 1 failed tasks? is accepted\.$/).waitFor();
  });

  test('the broker is stopped: a banner on every page, and no state is shown as that of now', async () => {
    const page = await browser.open(`${worker.url}/ui/`);
    const overview = await new OverviewPage(page).loaded();
    await broker.crash();
    const banner = page.getByRole('alert').filter({ hasText: 'This worker has not been in its group since' });
    await banner.waitFor({ timeout: 60_000 });
    await overview.waitForState('poisoned', 'unknown');
    expect(new Set(await overview.rows.locator('.badge').allInnerTexts())).toEqual(new Set(['unknown']));
    expect(await banner.innerText()).toMatch(/since \d\d:\d\d:\d\d: .*\. States are the last known ones/s);
    expect(await axe(page)).toEqual([]);
    await show(page, '#/changes');
    const left = page.locator('.change', { hasText: 'worker left the group' });
    await left.waitFor();
    expect(await left.locator('.change-cause').innerText()).toMatch(/^(?!automatically|cause unknown)\S.* .*\S$/);
    // Why something failed, with its place.
    const failed = page.locator('.change', { hasText: 'failed' }).filter({ hasText: 'skipping' });
    expect(await failed.innerText()).toMatch(/topic \S+, partition 0, offset 1\b/);
    await banner.waitFor();
    await broker.restart();
    await banner.waitFor({ state: 'detached', timeout: 120_000 });
    await page.locator('.change', { hasText: 'worker joined the group' }).first().waitFor();
  }, 240_000);
});
