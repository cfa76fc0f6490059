/** How far connectors are behind, per partition of a sink and per task of a source. */
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { overflow, show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

describeInBrowser('the lag of a connector', () => {
  const browser = useBrowser();
  const clients = new Clients();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({
      group: uniqueName('console'),
      settings: { 'offset.flush.interval.ms': '200' },
    });
  });
  afterAll(async () => {
    await worker.stop();
    await clients.close();
  });
  /** The cells of each row, by the labels of their columns. */
  const rowsOf = async (page: Awaited<ReturnType<typeof browser.open>>): Promise<string[]> =>
    await page
      .getByRole('table', { name: 'Lag of the partitions' })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent).join(' ')));

  test('of a sink: partitions sorted by lag, with position, committed and end; stopped, by what is committed', async () => {
    const topic = await clients.topic(3);
    const config = fileSinkConfig(topic, join(worker.folder, 'lines.txt'));
    await worker.register({ name: 'sink', config });
    await worker.running('sink');
    await clients.send(topic, ['a', 'b'], 0);
    await clients.send(topic, ['c'], 1);
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, '#/connectors/sink?tab=offsets');
    await waitFor('the committed offsets', async () => {
      const rows = await rowsOf(page);
      return rows.includes(`${topic} 0 0 2 2 2 0 0 ms`) && rows.includes(`${topic} 1 0 1 1 1 0 0 ms`);
    });
    expect((await rowsOf(page)).some((row) => row.startsWith(`${topic} 2 0 `))).toBe(true);

    await worker.request('PUT', '/connectors/sink/stop');
    await worker.statusWhen('sink', ({ tasks }) => tasks.length === 0);
    await clients.send(topic, ['d', 'e', 'f'], 1);
    await waitFor('the lag of the stopped sink', async () => (await rowsOf(page))[0] === `${topic} 1 – 1 – 4 3 –`);
    for (const options of [{}, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' as const }]) {
      const shown = await browser.open(`${worker.url}/ui/`, options);
      await show(shown, '#/connectors/sink?tab=offsets');
      await shown.getByRole('table', { name: 'Lag of the partitions' }).waitFor();
      expect(await overflow(shown)).toBe(0);
      expect(await axe(shown)).toEqual([]);
    }
  });

  test('of a source: what its plugin publishes for each task', async () => {
    await register(worker, 'source', { lag: '12' });
    await worker.running('source');
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, '#/connectors/source?tab=offsets');
    await page.getByText('The connector has not committed an offset yet').waitFor();
    const table = page.getByRole('table', { name: 'Lag of the tasks' });
    await table.getByText('12 s').waitFor();
    expect(await table.locator('tbody tr').locator('td').allInnerTexts()).toEqual(['0', '–', '–', '12 s']);
    expect(await axe(page)).toEqual([]);
  });
});
