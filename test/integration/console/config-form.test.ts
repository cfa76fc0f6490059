/** Forms: what must be set, what may be chosen, and errors and warnings at the field that causes them. */
import type { Locator, Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { hold } from '../../helpers/browser/hold';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { overflow } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

const SINK = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
const POSTGRES = 'io.debezium.connector.postgresql.PostgresConnector';

describeInBrowser('forms', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
  });
  afterAll(() => worker.stop());
  const opened = async (fragment: string): Promise<Page> => {
    const page = await browser.open(`${worker.url}/ui/${fragment}`);
    await page.getByRole('heading', { name: 'Common' }).waitFor();
    return page;
  };
  const creating = async (className: string): Promise<Page> => await opened(`#/create?class=${className}`);
  /** The place of a key with its label, errors and warnings. */
  const fieldOf = (page: Page, key: string): Locator => page.locator(`[id="key-${key}"]`);
  const optionsOf = async (field: Locator): Promise<string[]> => await field.locator('option').allInnerTexts();
  const addKey = async (page: Page, key: string, value: string): Promise<void> => {
    await page.getByLabel('New key', { exact: true }).fill(key);
    await page.getByLabel('Value of the new key').fill(value);
    await page.getByRole('button', { name: 'Add key' }).click();
  };
  const isFocused = async (field: Locator): Promise<void> =>
    await field.locator('input:focus, select:focus').waitFor({ state: 'attached' });

  test('required keys are marked, with what may be set instead', async () => {
    const page = await creating(SINK);
    await fieldOf(page, 'topics').getByText('(required, or topics.regex)').waitFor();
    await fieldOf(page, 'topics').locator('input').fill('orders');
    await fieldOf(page, 'topics.regex').getByText('(required').waitFor({ state: 'detached' });
    const postgres = await creating(POSTGRES);
    for (const key of ['name', 'topic.prefix', 'database.hostname', 'database.user', 'database.dbname'])
      await fieldOf(postgres, key).getByText('(required)').waitFor();
    expect(await fieldOf(postgres, 'database.password').getByText('(required').count()).toBe(0);
    expect(await axe(postgres)).toEqual([]);
  });

  test('important keys are those that people need, without those that have no effect', async () => {
    const page = await creating(POSTGRES);
    for (const key of ['slot.name', 'publication.name', 'publication.autocreate.mode', 'snapshot.mode'])
      await fieldOf(page, key).waitFor();
    for (const key of ['notification.http.url', 'notification.sink.topic.name', 'database.server.name'])
      expect(await fieldOf(page, key).count()).toBe(0);
    await page.getByLabel('Keys to show').selectOption('All keys');
    await fieldOf(page, 'notification.http.url').getByText('no effect', { exact: true }).waitFor();
  });

  test('the documentation of a plugin marks required keys and those without effect, and lists values', async () => {
    const page = await browser.open(`${worker.url}/ui/#/plugins`);
    await page.getByRole('searchbox').first().fill('PostgresConnector');
    await page
      .getByRole('button', { name: /PostgresConnector/ })
      .first()
      .click();
    await page.getByLabel(`Search the keys of ${POSTGRES}`).fill('e');
    const about = (key: string): Locator =>
      page.locator('.key-docs > div').filter({ has: page.locator('dt').getByText(key, { exact: true }) });
    await about('topic.prefix').getByText('required', { exact: true }).waitFor();
    await about('notification.http.url').getByText('no effect', { exact: true }).waitFor();
    await about('errors.tolerance').getByText('Values: none, all').waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('valid values are offered, also of keys of the runtime, of transformations and their predicates', async () => {
    const page = await creating(SINK);
    await page.getByLabel('Keys to show').selectOption('All keys');
    expect(await optionsOf(fieldOf(page, 'errors.tolerance'))).toEqual([
      'Default: none',
      'none',
      'all',
      'Another value…',
    ]);
    await fieldOf(page, 'predicates').locator('input').fill('isOrders, isTombstone');
    await fieldOf(page, 'transforms').locator('input').fill('time');
    const type = fieldOf(page, 'transforms.time.type');
    await type.locator('input').waitFor();
    expect(await type.locator('datalist option').count()).toBeGreaterThan(20);
    await type.locator('input').fill('org.apache.kafka.connect.transforms.TimestampConverter$Value');
    const target = fieldOf(page, 'transforms.time.target.type');
    await target.locator('select').waitFor();
    expect(await optionsOf(target)).toEqual(expect.arrayContaining(['unix', 'Timestamp']));
    expect(await optionsOf(fieldOf(page, 'transforms.time.predicate'))).toEqual(
      expect.arrayContaining(['isOrders', 'isTombstone']),
    );
    expect(await axe(page)).toEqual([]);
  });

  test('a wrong class of a transformation: the error at its field, with the right one', async () => {
    const page = await creating(SINK);
    await fieldOf(page, 'topics').locator('input').fill('orders');
    await page.getByLabel('Keys to show').selectOption('All keys');
    await fieldOf(page, 'transforms').locator('input').fill('mask');
    const type = fieldOf(page, 'transforms.mask.type');
    await type.locator('input').fill('MaskFeild$Value');
    await type.getByText(/Did you mean org\.apache\.kafka\.connect\.transforms\.MaskField\$Value\?/).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('a key that is likely a typing error: a warning at it, which renames it', async () => {
    const page = await creating(SINK);
    await addKey(page, 'erors.tolerance', 'all');
    const wrong = fieldOf(page, 'erors.tolerance');
    await wrong.getByText('did you mean "errors.tolerance"?').waitFor();
    await page.getByText('1 key to check').waitFor();
    await page.getByRole('button', { name: 'erors.tolerance', exact: true }).click();
    await isFocused(wrong);
    expect(await axe(page)).toEqual([]);
    await wrong.getByRole('button', { name: 'Rename erors.tolerance to errors.tolerance' }).click();
    const right = fieldOf(page, 'errors.tolerance');
    await isFocused(right);
    expect(await right.locator('select').inputValue()).toBe('all');
    await wrong.waitFor({ state: 'detached' });
    await page.getByText('1 key to check').waitFor({ state: 'detached' });
  });

  test.each([
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: PHONE, hasTouch: true }],
    ['high contrast', { forcedColors: 'active' }],
  ] as const)('%s: axe finds nothing beside errors and warnings, and nothing is too wide', async (_, options) => {
    const page = await browser.open(`${worker.url}/ui/#/create?class=${SINK}`, options);
    await page.getByRole('heading', { name: 'Common' }).waitFor();
    await fieldOf(page, 'tasks.max').locator('input').fill('many');
    await addKey(page, 'erors.tolerance', 'all');
    await fieldOf(page, 'erors.tolerance').getByText('did you mean').waitFor();
    await fieldOf(page, 'tasks.max').getByText('Not a number').waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });

  test('an old name of a key: a warning at it, which renames it', async () => {
    const page = await creating(POSTGRES);
    await page.getByLabel('Keys to show').selectOption('All keys');
    const old = fieldOf(page, 'database.server.name');
    await old.locator('input').fill('fulfillment');
    await old.getByText('is deprecated, use "topic.prefix"').waitFor();
    await fieldOf(page, 'topic.prefix').getByText('(required)').waitFor({ state: 'detached' });
    await old.getByRole('button', { name: 'Rename database.server.name to topic.prefix' }).click();
    await isFocused(fieldOf(page, 'topic.prefix'));
    expect(await fieldOf(page, 'topic.prefix').locator('input').inputValue()).toBe('fulfillment');
  });

  test('a key without effect: a warning at it', async () => {
    const page = await creating(SINK);
    await addKey(page, 'consumer.override.interceptor.classes', 'com.acme.Interceptor');
    await fieldOf(page, 'consumer.override.interceptor.classes')
      .getByText(/ has no effect\. Interceptors /)
      .waitFor();
  });

  test('Create with errors leads to the first one, also from JSON and from a search', async () => {
    const page = await creating(SINK);
    const create = page.getByRole('button', { name: 'Create connector' });
    await page.getByRole('status').getByText('keys shown').waitFor();
    await page.getByRole('searchbox').fill('tolerance');
    await create.click();
    await isFocused(fieldOf(page, 'name'));
    await fieldOf(page, 'topics').getByText('Must configure one of topics or topics.regex').waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    await create.click();
    await isFocused(fieldOf(page, 'name'));
  });

  test('an error of the class, which has no field, is shown as well', async () => {
    const page = await creating(SINK);
    await page.getByLabel('Keys to show').selectOption('All keys');
    await fieldOf(page, 'connector.plugin.version').locator('button, input, select').first().waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page
      .getByLabel('Configuration as JSON')
      .fill(JSON.stringify({ 'connector.class': SINK, 'connector.plugin.version': '[9.9]', topics: 'a', name: 'v' }));
    const summary = page.getByRole('status').filter({ hasText: 'to correct' });
    await summary.getByText('connector.class', { exact: true }).waitFor();
    expect(await summary.getByRole('button', { name: 'connector.class' }).count()).toBe(0);
    await summary.getByRole('button', { name: 'connector.plugin.version' }).click();
    await isFocused(fieldOf(page, 'connector.plugin.version'));
  });

  test('a refused creation is shown at the field that it is about, with focus', async () => {
    await register(worker, 'taken');
    const page = await creating(SINK);
    await fieldOf(page, 'topics').locator('input').fill('orders');
    await fieldOf(page, 'name').locator('input').fill('taken');
    await page.getByText('No errors').waitFor();
    browser.problems.expect(/409 \(Conflict\)/);
    await page.getByRole('button', { name: 'Create connector' }).click();
    await fieldOf(page, 'name').getByText('Connector taken already exists').waitFor();
    await isFocused(fieldOf(page, 'name'));
    await fieldOf(page, 'name').locator('input').fill('free');
    await fieldOf(page, 'name').getByText('already exists').waitFor({ state: 'detached' });
  });

  test('a refused change is shown at the field that it is about, with focus', async () => {
    await register(worker, 'edited');
    const page = await opened('#/connectors/edited?tab=config');
    await page.getByText('No errors').waitFor();
    // Saved before the worker has checked it.
    const release = await hold(page, '**/ui/api/connectors/edited/config/validate');
    await fieldOf(page, 'tasks.max').locator('input').fill('many');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the configuration?' });
    browser.problems.expect(/400 \(Bad Request\)/);
    await dialog.getByRole('button', { name: 'Save 1 change' }).click();
    await dialog.waitFor({ state: 'detached' });
    await fieldOf(page, 'tasks.max')
      .getByText(/Not a number of type INT/)
      .waitFor();
    await isFocused(fieldOf(page, 'tasks.max'));
    expect(await axe(page)).toEqual([]);
    release();
  });
});
