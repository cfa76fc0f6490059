/**
 * A third party's plugin declares a lag, a panel and the effects of actions: the console and the command line show them
 * as those of the built-in connectors.
 */
import type { ConnectorDetails, Overview } from '@millrace/console';
import type { StartedWorker } from '../../../dev/services/worker';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../../cli/fake-io';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { show } from './console-pages';
import { CLASS, register, startConsoleWorker } from './console-worker';

const EFFECTS = {
  stop: 'Its queue keeps messages.',
  delete: 'So does its queue.',
  resetOffsets: 'The queue is read again from its first message.',
};
let worker: StartedWorker;

beforeAll(async () => {
  worker = await startConsoleWorker({ group: uniqueName('console') });
  await register(worker, 'queue', { lag: '90' });
  await worker.running('queue');
});
afterAll(async () => await worker?.stop());

test('the report of the console has its lag, its panel and its effects', async () => {
  const details = await waitFor('the panel', async () => {
    const found = (await worker.request('GET', '/ui/api/connectors/queue')).json as ConnectorDetails;
    return found.panels.length > 0 && found;
  });
  const lag = { value: 90, unit: 'seconds', noun: null };
  expect(details.panels).toEqual([
    {
      title: 'Queue',
      state: ['', lag, ' behind'],
      notice: { kind: 'degraded', title: 'The queue is long', text: ['Its oldest message is ', lag, ' old.'] },
      facts: [
        { title: 'Name', figure: { value: 'q-1', unit: 'count', noun: null }, unknown: null },
        { title: 'Open', figure: { value: null, unit: 'boolean', noun: null }, unknown: 'not known yet' },
      ],
      progress: null,
    },
  ]);
  expect([details.effects, details.row.lag]).toEqual([EFFECTS, { records: null, bytes: null, seconds: 90 }]);
  const overview = (await worker.request('GET', '/ui/api/overview')).json as Overview;
  expect(overview.effects).toEqual({ [CLASS]: EFFECTS });
});

test('millrace top shows its lag', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere' });
  expect(await runCli(['top', '--once', '--url', worker.url], io)).toBe(0);
  expect(io.out).toMatch(
    /^CONNECTOR .* LAG +BEHIND +ERRORS +ERRORS\/S\nqueue +source +RUNNING +running +1\/1 +\S+ +- +90\.0 s +0 +\S+$/m,
  );
});

describeInBrowser('in the browser', () => {
  const browser = useBrowser();

  test('its page has the panel, and each question its effect', async () => {
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, '#/connectors/queue');
    const panel = page.getByRole('region', { name: 'Queue' });
    await panel.getByText('Its oldest message is 1 min 30 s old.').waitFor();
    expect(await panel.innerText()).toMatch(/Queue 1 min 30 s behind[\s\S]*q-1[\s\S]*not known yet/);
    for (const [button, effect] of [
      ['Stop', EFFECTS.stop],
      ['Delete', EFFECTS.delete],
    ] as const) {
      await page.getByRole('group', { name: 'Actions on the connector' }).getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: `${button} the connector?` });
      await dialog.getByText(effect).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    }
    await show(page, '#/');
    await page.getByRole('checkbox', { name: 'Select queue' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText(EFFECTS.delete).waitFor();
  });
});
