/** Dead letters of a real sink: shown with their reason and headers, and sent back by a person. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { overflow, show } from './console-pages';
import { startConsoleWorker } from './console-worker';

const LETTERS = 60;

describeInBrowser('the dead letters of a connector', () => {
  const browser = useBrowser();
  const clients = new Clients();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
  });
  afterAll(async () => {
    await worker.stop();
    await clients.close();
  });

  test('are listed with their reason, all of them on request, and a replayed one reaches the sink again', async () => {
    const topic = await clients.topic(1);
    const letterTopic = uniqueName('letters');
    const file = join(worker.folder, 'lines.txt');
    const config = fileSinkConfig(topic, file, {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': letterTopic,
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    await worker.register({ name: 'sink', config });
    await worker.running('sink');
    await clients.send(
      topic,
      Array.from({ length: LETTERS }, (_, i) => `letter ${i}`),
    );
    await waitFor('all dead letters', async () => {
      const { json } = await worker.request('GET', '/ui/api/connectors/sink/dead-letters');
      return (json as { total: number }).total === LETTERS;
    });
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, '#/connectors/sink?tab=dead-letters');
    const groups = page.getByRole('list', { name: 'Reasons, the newest first' }).locator('> li');
    expect(await groups.count()).toBe(1);
    await page.getByText(`All ${LETTERS} records were read.`).waitFor();
    expect(await groups.innerText()).toMatch(/unexpected character at position …[^]*60 letters[^]*first [^]*last /);
    await groups.getByRole('button', { name: 'Show the letters' }).click();
    const letters = page.getByRole('list', { name: 'Dead letters, newest first' }).locator('> li');
    await letters.first().waitFor();
    expect(await letters.count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await waitFor('all letters on the page', async () => (await letters.count()) === LETTERS);
    const newest = letters.first();
    expect(await newest.innerText()).toContain(`from ${topic}, partition 0, offset ${LETTERS - 1}`);
    await newest.getByText(/^Record and/).click();
    expect(await newest.innerText()).toContain(`letter ${LETTERS - 1}`);
    expect(await newest.innerText()).toContain('org.apache.kafka.connect.errors.DataException');

    const replayNewest = async (): Promise<void> => {
      await letters.first().getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Replay 1 selected' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    };
    await replayNewest();
    await page.getByText('0 written to their topic again, 1 replayed, and failed again.').waitFor();
    await waitFor('the new dead letter', async () => (await letters.count()) === LETTERS + 1);
    const failedAgain = letters.filter({ hasText: 'Replayed, and failed again' });
    expect(await failedAgain.getByRole('status').innerText()).toMatch(/^Replayed, and failed again\s+Converting byte/i);

    await waitFor('the new letter on the page', async () => (await letters.count()) === LETTERS + 1);
    // The cause is mended: the sink now takes any text.
    const patch = { 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' };
    // The earlier task would read the replayed record with its converter, and write another dead letter.
    const starts = (): number => (worker.process.log().match(/Appending to /g) ?? []).length;
    const before = starts();
    await worker.request('PATCH', '/connectors/sink/config', patch);
    await waitFor('the task with the changed config', async () => await Promise.resolve(starts() > before));
    await replayNewest();
    await page.getByText('1 written to their topic again, 1 replayed, and failed again.').waitFor();
    await page.getByText('Written to its topic again.', { exact: true }).waitFor();
    await waitFor('the record in the file', async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.includes(`letter ${LETTERS - 1}`);
    });
  });

  test('all letters of one reason are sent back together, and what failed again says why once', async () => {
    const topic = await clients.topic(1);
    const letterTopic = uniqueName('letters');
    const config = fileSinkConfig(topic, join(worker.folder, 'more.txt'), {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': letterTopic,
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    await worker.register({ name: 'replayed', config });
    await worker.running('replayed');
    await clients.send(
      topic,
      Array.from({ length: 600 }, (_, i) => `<script>alert(${i})</script>`),
    );
    await waitFor('all dead letters', async () => {
      const { json } = await worker.request('GET', '/ui/api/connectors/replayed/dead-letters/groups');
      return (json as { total: number }).total === 600;
    });
    for (const options of [{}, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' as const }]) {
      const shown = await browser.open(`${worker.url}/ui/`, options);
      await show(shown, '#/connectors/replayed?tab=dead-letters');
      await shown.getByText('600 letters').waitFor();
      expect(await overflow(shown)).toBe(0);
      expect(await axe(shown)).toEqual([]);
    }
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, '#/connectors/replayed?tab=dead-letters');
    await page.getByRole('button', { name: 'Replay 600' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 600 dead letters?' });
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('0 written to their topic again, 600 replayed, and failed again.', { exact: true }).waitFor();
    expect(await page.locator('.letter .sub.bad').count()).toBe(1);
    await page.getByText('1,200 letters').waitFor();
  });
});
