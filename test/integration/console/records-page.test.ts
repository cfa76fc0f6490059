/** The last records of a connector's topics, as its converters read them, for a person. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { overflow, show } from './console-pages';
import { startConsoleWorker } from './console-worker';

const HOSTILE = '<img src=x onerror=alert(1)></script><script>alert(2)</script> \u202egnp.exe javascript:alert(3)';
const NOT_JSON = `${HOSTILE}${'x'.repeat(10_000)}`;

describeInBrowser('the records of a topic', () => {
  const browser = useBrowser();
  const clients = new Clients();
  const letterTopic = uniqueName('letters');
  let topic: string;
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    topic = await clients.topic(1);
    const config = fileSinkConfig(topic, join(worker.folder, 'lines.txt'), {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': letterTopic,
      'errors.deadletterqueue.topic.replication.factor': '1',
    });
    await clients.send(topic, [...Array.from({ length: 25 }, (_, n) => `{"n":${n}}`), NOT_JSON]);
    await clients.send(topic, [JSON.stringify({ id: 12345678901234, note: HOSTILE })]);
    await worker.register({ name: 'sink', config });
    await worker.running('sink');
  });
  afterAll(async () => {
    await worker.stop();
    await clients.close();
  });
  const opened = async (options = {}): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/`, options);
    await show(page, '#/connectors/sink?tab=topics');
    await page.getByRole('button', { name: `Show the last records of ${topic}` }).click();
    await page.getByRole('list', { name: 'Records, newest first' }).waitFor();
    return page;
  };

  test('are the newest 20, converted, and one that cannot be has its error and its bytes', async () => {
    const page = await opened();
    const records = page.getByRole('list', { name: 'Records, newest first' }).locator('> li');
    expect(await records.count()).toBe(20);
    await page.getByText('20 of 27, read at').waitFor();
    const [newest, broken, last] = [records.nth(0), records.nth(1), records.nth(19)];
    expect(await last.innerText()).toContain('{"n":7}');
    await newest.getByText('0:26').click();
    expect(await newest.getByRole('region', { name: /^value of/ }).innerText()).toMatch(
      /^\{\n {2}"id": 12345678901234,\n {2}"note": /,
    );
    await broken.getByText('not converted').click();
    await broken.getByText('Value, as bytes').waitFor();
    expect(await broken.innerText()).toMatch(/Converting byte\[\] to Kafka Connect data failed/);
    expect(await broken.innerText()).toMatch(/more bytes\)/);
  });

  test('texts of records are texts, on a phone too, and axe finds nothing', async () => {
    for (const options of [{}, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' as const }]) {
      const page = await opened(options);
      const records = page.getByRole('list', { name: 'Records, newest first' }).locator('> li');
      for (const n of [0, 1]) await records.nth(n).locator('summary').click();
      expect(await records.nth(1).innerText()).toContain('\\u202Egnp.exe javascript:alert(3)');
      expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0);
      expect(await overflow(page)).toBe(0);
      expect(await axe(page)).toEqual([]);
    }
  });

  test('the topic of the dead letters is one of them, and no topic of others is', async () => {
    const page = await opened();
    await page.getByRole('button', { name: `Show the last records of ${letterTopic}` }).click();
    await page.getByText('1 of 1, read at').waitFor();
    const other = await clients.topic(1);
    browser.problems.expect(/404 \(Not Found\)/);
    await show(page, `#/connectors/sink?tab=topics&topic=${other}`);
    await page.getByRole('alert').filter({ hasText: 'RECORDS_TOPIC' }).waitFor();
  });
});
