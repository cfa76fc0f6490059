/** The list of connectors: filters, order, many connectors, and a page that no one looks at. */
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { runInPage, setVisibility } from '../../helpers/browser/run-in-page';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { register, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

const COUNT = 200;
const nameOf = (i: number): string => `connector-${String(i).padStart(3, '0')}`;

describeInBrowser('a list of 200 connectors', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    for (let i = 0; i < COUNT; i++) await register(worker, nameOf(i), i % 50 === 7 ? { fails: 'It fails.' } : {});
    await worker.running(nameOf(COUNT - 1));
    await worker.request('PUT', `/connectors/${nameOf(3)}/pause`);
  });
  afterAll(() => worker.stop());
  const opened = async (query = ''): Promise<OverviewPage> =>
    await new OverviewPage(await browser.open(`${worker.url}/ui/${query}`)).loaded();
  const chip = (page: Page, label: RegExp) =>
    page.getByRole('group', { name: 'Filter by state' }).getByRole('button', { name: label });

  test('all are shown, the failed ones first', async () => {
    const overview = await opened();
    await chip(overview.page, /^Failed 4$/).waitFor();
    await chip(overview.page, /^Running 195$/).waitFor();
    const names = await overview.names();
    expect(names).toHaveLength(COUNT);
    expect(names.slice(0, 4)).toEqual([7, 57, 107, 157].map(nameOf));
  });

  test('filters by state and by text, which the address keeps', async () => {
    const overview = await opened();
    const { page } = overview;
    await chip(page, /^Failed 4$/).click();
    expect(await overview.names()).toEqual([7, 57, 107, 157].map(nameOf));
    await page.getByRole('searchbox').fill('connector-05');
    await overview.row(nameOf(7)).waitFor({ state: 'detached' });
    expect(await overview.names()).toEqual([nameOf(57)]);
    await page.reload();
    await overview.loaded();
    expect(await overview.names()).toEqual([nameOf(57)]);
    await page.getByRole('searchbox').fill('no such connector');
    await page.getByRole('button', { name: 'Show all connectors' }).click();
    await overview.row(nameOf(199)).waitFor();
  });

  test('a selection that the filter hides is not part of an action', async () => {
    const overview = await opened();
    const { page } = overview;
    await overview.select(nameOf(10), nameOf(11));
    await page.getByRole('searchbox').fill(nameOf(11));
    await page.getByText('1 connector selected').waitFor();
    await page.getByText('1 hidden by the filter not included').waitFor();
    await overview.action('Pause').click();
    await overview.waitForResult(nameOf(11), 'done');
    expect((await worker.status(nameOf(10))).connector.state).toBe('RUNNING');
    await overview.action('Resume').click();
    await overview.waitForResult(nameOf(11), 'done');
  });

  test('all shown connectors are paused at once, with a result for each', async () => {
    const overview = await opened();
    const { page } = overview;
    await page.getByRole('searchbox').fill('connector-18');
    await page.getByRole('checkbox', { name: 'Select all 10 shown connectors' }).check();
    await overview.action('Pause').click();
    await page.getByText('10 done').first().waitFor();
    await overview.action('Resume').click();
    await page.getByText('10 done').first().waitFor();
  });

  test('nothing is requested while the page is hidden', async () => {
    const overview = await opened();
    const { page } = overview;
    await page.waitForResponse('**/ui/api/overview*');
    const requests: string[] = [];
    const other = await page.context().newPage();
    await other.goto(`${worker.url}/ui/`);
    await setVisibility(page, 'hidden');
    page.on('request', (request) => requests.push(request.url()));
    // The other page is the clock: it requests every two seconds.
    for (let i = 0; i < 4; i++) await other.waitForResponse('**/ui/api/overview*');
    expect(requests).toEqual([]);
    await setVisibility(page, 'visible');
    await page.waitForResponse('**/ui/api/overview*');
  });

  test('a poll of unchanged connectors changes nothing in the list', async () => {
    const overview = await opened();
    const { page } = overview;
    await page.waitForResponse('**/ui/api/overview*');
    await overview.allRows();
    await runInPage(
      page,
      `globalThis.changes = 0;
       new MutationObserver((found) => (changes += found.filter(({ type }) => type === 'childList').length)).observe(
         document.querySelector('tbody'), { subtree: true, childList: true });`,
    );
    for (let i = 0; i < 3; i++) await page.waitForResponse('**/ui/api/overview*');
    expect(await runInPage(page, 'changes')).toBe(0);
  });
});
