/** The console without a mouse, and by the rules of axe-core, in both themes and on a phone. */
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { viewport: PHONE, hasTouch: true }],
  ['a phone, dark', { viewport: PHONE, hasTouch: true, colorScheme: 'dark' }],
  ['high contrast', { forcedColors: 'active' }],
] as const;

describeInBrowser('accessibility', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    await register(worker, 'running', { tasks: '2' });
    await register(worker, 'half', { tasks: '2', fails: 'The disk is full. Free some space.', 'fails.task': '1' });
    await register(worker, 'failed', { fails: 'The table orders is missing.' });
    await register(worker, 'paused');
    await worker.running('paused');
    await worker.request('PUT', '/connectors/paused/pause');
  });
  afterAll(() => worker.stop());
  const opened = async (options = {}): Promise<OverviewPage> => {
    const overview = await new OverviewPage(await browser.open(`${worker.url}/ui/`, options)).loaded();
    await overview.waitForState('failed', 'failed');
    await overview.waitForState('half', 'degraded');
    await overview.waitForState('paused', 'paused');
    return overview;
  };

  test.each(LOOKS)('%s: axe finds nothing in the list, in a dialog, and beside results', async (_, options) => {
    const overview = await opened(options);
    expect(await axe(overview.page)).toEqual([]);
    await overview.select('running', 'half');
    await overview.action('Delete').click();
    await overview.dialog.waitFor();
    expect(await axe(overview.page)).toEqual([]);
    await overview.page.keyboard.press('Escape');
    await overview.dialog.waitFor({ state: 'detached' });
    await overview.action('Resume').click();
    await overview.waitForResult('running', 'done');
    expect(await axe(overview.page)).toEqual([]);
  });

  test.each(LOOKS)('%s: nothing is wider than the window', async (_, options) => {
    const { page } = await opened(options);
    const wide = await page.evaluate(() => {
      const { document: shown } = globalThis as unknown as {
        document: { documentElement: { scrollWidth: number; clientWidth: number } };
      };
      return shown.documentElement.scrollWidth - shown.documentElement.clientWidth;
    });
    expect(wide).toBeLessThanOrEqual(0);
  });

  test('a connector is paused and resumed with the keyboard alone', async () => {
    const overview = await opened();
    const { page } = overview;
    await page.keyboard.press('/');
    await page.keyboard.type('running');
    await overview.row('paused').waitFor({ state: 'detached' });
    // On with Tab until the box is reached, as a person goes.
    await tabTo('Select running');
    await page.keyboard.press('Space');
    await page.getByText('1 connector selected').waitFor();
    await tabTo('Pause', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await overview.waitForResult('running', 'done');
    await overview.waitForState('running', 'paused');
    await tabTo('Stop');
    await page.keyboard.press('Enter');
    await overview.dialog.waitFor();
    await page.keyboard.press('Escape');
    await overview.dialog.waitFor({ state: 'detached' });
    // The focus is where it was.
    expect(await focused()).toBe('Stop');
    await tabTo('Resume', 'Shift+Tab');
    await page.keyboard.press('Space');
    await overview.waitForState('running', 'running');

    async function focused(): Promise<string> {
      return (await page.locator(':focus').ariaSnapshot()).replace(/^- \w+ "(.*?)".*$/s, '$1');
    }
    async function tabTo(name: string, key = 'Tab'): Promise<void> {
      const passed: string[] = [];
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press(key);
        passed.push(await focused());
        if (passed.at(-1) === name) return;
      }
      throw new Error(`${name} is not reached by ${key}: ${passed.join(', ')}`);
    }
  });

  test('the first stop of the keyboard skips to the content', async () => {
    const { page } = await opened();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');
    expect(await page.locator(':focus').getAttribute('id')).toBe('main');
  });
});
