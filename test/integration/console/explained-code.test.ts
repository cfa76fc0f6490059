/** A failure with a code: the page says what the documentation says of it, and links there. */
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { explanationOf } from '../../../src/logging/error-page';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { overflow, show } from './console-pages';
import { startConsoleWorker } from './console-worker';

describeInBrowser('an error code', () => {
  const browser = useBrowser();
  const clients = new Clients();
  let worker: StartedWorker;
  beforeAll(async () => {
    const settings = { 'console.docs.url': 'https://docs.example/millrace/' };
    worker = await startConsoleWorker({ group: uniqueName('console'), settings });
  });
  afterAll(async () => {
    await worker.stop();
    await clients.close();
  });

  test('is explained as text, with a link to its anchor', async () => {
    const topic = await clients.topic(1);
    await worker.register({ name: 'sink', config: fileSinkConfig(topic, join(worker.folder, 'absent', 'lines.txt')) });
    await worker.statusWhen('sink', ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
    for (const options of [{}, { viewport: PHONE, hasTouch: true, colorScheme: 'dark' as const }]) {
      const page = await browser.open(`${worker.url}/ui/`, options);
      await show(page, '#/connectors/sink?tab=status');
      const wrong = page.getByRole('region', { name: 'What is wrong' });
      const link = wrong.getByRole('link', { name: 'FILE_SINK_OPEN in the documentation' });
      expect(await link.getAttribute('href')).toBe('https://docs.example/millrace/errors.html#FILE_SINK_OPEN');
      const { happened = '', cure = '' } = explanationOf('FILE_SINK_OPEN') ?? {};
      const text = await wrong.innerText();
      for (const part of [happened, cure]) expect(text.split(part.replaceAll('`', '')).length - 1).toBe(1);
      expect(await overflow(page)).toBe(0);
      expect(await axe(page)).toEqual([]);
    }
  });
});
