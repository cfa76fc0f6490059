/** The topology of a source, two sinks and their topics. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { overflow } from './console-pages';
import { startConsoleWorker } from './console-worker';

const topic = uniqueName('orders');
const dead = `${topic}-dead`;

describeInBrowser('the topology', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-topology-'));
    await writeFile(join(folder, 'in'), 'a\nb\n');
    worker = await startConsoleWorker({ group: uniqueName('console') });
    const connectors = {
      lines: { 'connector.class': 'FileStreamSource', topic, file: join(folder, 'in') },
      archive: { 'connector.class': 'FileStreamSink', topics: topic, file: join(folder, 'out') },
      billing: {
        'connector.class': 'FileStreamSink',
        'topics.regex': `${topic}.?`,
        file: join(folder, 'billing'),
        'errors.deadletterqueue.topic.name': dead,
        'errors.deadletterqueue.topic.replication.factor': '1',
        'errors.tolerance': 'all',
      },
    };
    for (const [name, config] of Object.entries(connectors)) {
      await worker.register({ name, config });
      await worker.running(name);
    }
  });
  afterAll(() => worker.stop());

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: PHONE, hasTouch: true }],
  ] as const)('%s: links, states, and a picture; axe finds nothing', async (_, options) => {
    const page = await browser.open(`${worker.url}/ui/#/topology`, options);
    const rows = page.getByRole('table', { name: 'Topics' }).getByRole('row');
    const row = rows.filter({ hasText: 'lines' });
    // Both sinks: by the config, and by what the task has read.
    await row.filter({ hasText: 'archive' }).filter({ hasText: 'billing' }).waitFor();
    expect(await row.getByRole('link').allInnerTexts()).toEqual(['lines', 'archive', 'billing']);
    expect(await row.locator('.badge').allInnerTexts()).toEqual(['running', 'running', 'running']);
    expect(await rows.filter({ hasText: dead }).getByRole('link').allInnerTexts()).toEqual(['billing']);
    await page.getByRole('img', { name: '3 connectors and 2 topics; the table below lists them' }).waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });

  test('is filtered, and leads to a connector', async () => {
    const page = await browser.open(`${worker.url}/ui/#/topology`);
    await page.getByRole('table', { name: 'Topics' }).waitFor();
    await page.getByLabel('Filter by topic or connector').fill(dead);
    await page.getByText('1 of 2 topics').waitFor();
    await page.getByRole('table', { name: 'Topics' }).getByRole('link', { name: 'billing' }).click();
    await page.getByRole('heading', { name: 'billing', level: 1 }).waitFor();
  });
});
