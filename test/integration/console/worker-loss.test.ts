/** Workers that die while a person looks at the console. */
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

const QUICK = { 'heartbeat.interval.ms': '300', 'session.timeout.ms': '6000' };
const idOf = ({ url }: StartedWorker): string => new URL(url).host;

describeInBrowser('the worker that serves the console', () => {
  const browser = useBrowser();

  test('is killed and returns: the page marks its data as old and disables actions meanwhile', async () => {
    const group = uniqueName('console');
    const killed = await startConsoleWorker({ group, settings: QUICK });
    await register(killed, 'orders');
    await killed.running('orders');
    const page = await browser.open(`${killed.url}/ui/`);
    browser.problems.expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
    const overview = await new OverviewPage(page).loaded();
    await overview.waitForState('orders', 'running');
    await overview.select('orders');
    await killed.crash();

    const banner = page.getByRole('alert').filter({ hasText: 'does not answer' });
    await banner.waitFor();
    expect(await banner.innerText()).toMatch(
      new RegExp(
        `^The worker at ${idOf(killed)} does not answer since \\d\\d:\\d\\d:\\d\\d; what is shown is from then`,
      ),
    );
    // The list remains, and says from when it is.
    expect(await overview.names()).toEqual(['orders']);
    for (const label of ['Pause', 'Resume', 'Stop', 'Restart', 'Delete']) {
      expect(await overview.action(label).getAttribute('aria-disabled')).toBe('true');
      expect(await overview.action(label).getAttribute('title')).toBe('The worker does not answer');
    }

    const returned = await startConsoleWorker({ group, settings: QUICK, port: Number(new URL(killed.url).port) });
    try {
      await banner.waitFor({ state: 'detached' });
      await overview.waitForState('orders', 'running');
      expect(await overview.action('Pause').getAttribute('aria-disabled')).toBeNull();
      await overview.action('Pause').click();
      await overview.waitForResult('orders', 'done');
    } finally {
      await returned.stop();
    }
  });

  test('stops answering: the page reports it within the timeout of a request', async () => {
    const worker = await startConsoleWorker({ group: uniqueName('console'), settings: QUICK });
    try {
      const page = await browser.open(`${worker.url}/ui/`);
      await new OverviewPage(page).loaded();
      process.kill(worker.pid, 'SIGSTOP');
      await page.getByRole('alert').filter({ hasText: 'does not answer' }).waitFor();
      process.kill(worker.pid, 'SIGCONT');
      await page.getByRole('alert').filter({ hasText: 'does not answer' }).waitFor({ state: 'detached' });
    } finally {
      await worker.stop();
    }
  });
});

describeInBrowser('another worker of the group', () => {
  const browser = useBrowser();

  test('is killed: its tasks are not shown as running, and its worker as gone', async () => {
    const group = uniqueName('console');
    const workers = [
      await startConsoleWorker({ group, settings: QUICK }),
      await startConsoleWorker({ group, settings: QUICK }),
    ];
    const [serving, killed] = workers as [StartedWorker, StartedWorker];
    try {
      for (const name of ['a', 'b', 'c', 'd']) await register(serving, name);
      for (const name of ['a', 'b', 'c', 'd']) await serving.running(name);
      const overview = await new OverviewPage(await browser.open(`${serving.url}/ui/`)).loaded();
      const lost = overview.rows.filter({ hasText: idOf(killed) });
      await lost.first().waitFor();
      await killed.crash();
      await lost.filter({ hasText: 'gone' }).first().waitFor();
      const states = await lost.filter({ hasText: 'gone' }).locator('.badge').allInnerTexts();
      expect(states).not.toContain('running');
      // The page itself is of now.
      expect(await overview.page.getByRole('alert').allInnerTexts()).not.toContain(expect.stringMatching(/answer/));
    } finally {
      await serving.stop();
    }
  });
});
