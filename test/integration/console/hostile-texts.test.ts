/** Names, traces, settings and documentation that others wrote: they are text, wherever the console shows them. */
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { connectorPages, overflow, pagesOf, show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

/** A name, and how the console shows it. */
const NAMES: readonly (readonly [name: string, shown: string])[] = [
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['</script><script>alert(1)</script>', '</script><script>alert(1)</script>'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['a\u202egnp.exe', 'a\\u202Egnp.exe'],
  ['a\u200bb', 'a\\u200Bb'],
  ['../../admin/loggers', '../../admin/loggers'],
  ['a/b?c=d#e;f=g%41', 'a/b?c=d#e;f=g%41'],
  ['"><b>{{7*7}}${7*7}', '"><b>{{7*7}}${7*7}'],
  ['__proto__', '__proto__'],
  ['العربية', 'العربية'],
  ['x'.repeat(900), 'x'.repeat(900)],
];
const TRACE = `<img src=x onerror=alert(1)></script><script>alert(2)</script> \u202egnp.exe javascript:alert(3) ${'long'.repeat(2500)}\n${'line\n'.repeat(50)}`;

describeInBrowser('hostile texts', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    for (const [name] of NAMES)
      await register(worker, name, { fails: TRACE, 'fails.task': '0', '<b>key</b>': '<script>alert(1)</script>' });
  });
  afterAll(() => worker.stop());

  test('are listed as text, and their links lead to their pages', async () => {
    const overview = await new OverviewPage(await browser.open(`${worker.url}/ui/`)).loaded();
    const { page } = overview;
    for (const [, shown] of NAMES) await overview.waitForState(shown, 'failed');
    expect((await overview.names()).sort()).toEqual(NAMES.map(([, shown]) => shown).sort());
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    for (const [, shown] of NAMES) {
      await overview.row(shown).getByRole('link', { name: shown, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: shown, exact: true }).waitFor();
      await page.getByText('alert(2)').first().waitFor();
      expect(
        await page
          .locator('h1 *, .connector-link *')
          .filter({ has: page.locator('img, script, b') })
          .count(),
      ).toBe(0);
      await page.goBack();
      await overview.loaded();
    }
  });

  test.each(NAMES)('no script runs on the pages of %s, and they fit into the window', async (name, shown) => {
    const page = await browser.open(`${worker.url}/ui/`);
    for (const fragment of connectorPages(name)) {
      await show(page, fragment);
      expect(await page.locator('h1').innerText()).toBe(shown);
      expect({ fragment, overflow: await overflow(page) }).toEqual({ fragment, overflow: 0 });
      expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0);
    }
  });

  test('no page is wider than a phone because of them', async () => {
    const page = await browser.open(`${worker.url}/ui/`, { viewport: PHONE, hasTouch: true });
    for (const fragment of pagesOf(NAMES[0]![0])) {
      await show(page, fragment);
      expect({ fragment, overflow: await overflow(page) }).toEqual({ fragment, overflow: 0 });
    }
  });

  test('actions reach the connector of that name, and a deletion accepts what is shown', async () => {
    const overview = await new OverviewPage(await browser.open(`${worker.url}/ui/`)).loaded();
    for (const [name, shown] of NAMES) {
      await overview.select(shown);
      await overview.action('Pause').click();
      await worker.statusWhen(name, ({ connector }) => connector.state === 'PAUSED');
      await overview.action('Delete').click();
      await overview.dialog.getByRole('textbox').fill(shown);
      await overview.dialog.getByRole('button', { name: 'Delete the connector' }).click();
      await overview.row(shown).waitFor({ state: 'detached' });
    }
    expect((await worker.request('GET', '/connectors')).json).toEqual([]);
  });
});
