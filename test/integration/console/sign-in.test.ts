/** Signing in with a password and with a token, and what each role may do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { basic, EXTENSION, writeLogins } from '../../helpers/basic-auth';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { AUDIENCE, ISSUER, startIdentityProvider, type IdentityProvider } from '../../helpers/identity-provider';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { pagesOf, show } from './console-pages';
import { CLASS, startConsoleWorker } from './console-worker';
import { OverviewPage } from './overview-page';

const ALICE = basic('alice', 'pässword');
const NAME = 'orders';
const SECRET = 'hunter2-hunter2';

describeInBrowser('signing in to the console', () => {
  const browser = useBrowser();
  let folder: string;
  let provider: IdentityProvider;
  let worker: StartedWorker;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-console-'));
    provider = await startIdentityProvider();
    worker = await startConsoleWorker({
      group: uniqueName('console'),
      settings: {
        ...EXTENSION,
        'java.security.auth.login.config': await writeLogins(folder, 'alice=p\\u00e4ssword\nrita=pw\nnone=pw\n'),
        'rest.auth.jwks.url': provider.url,
        'rest.auth.jwt.issuer': ISSUER,
        'rest.auth.jwt.audience': AUDIENCE,
        'rest.auth.roles.admin': 'user:alice',
        'rest.auth.roles.operator': 'claim:connect-operators',
        'rest.auth.roles.reader': 'user:rita',
        'rest.auth.open.paths': '/health',
      },
    });
    await send('PUT', `/connectors/${NAME}/config`, {
      'connector.class': CLASS,
      'fails.while': '/x',
      password: SECRET,
    });
  });
  afterAll(async () => {
    await worker.stop();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { 'Content-Type': 'application/json', Authorization: ALICE };
    return await waitFor(`${method} ${path}`, async () => {
      const answer = await fetch(worker.url + path, { method, headers, body: body && JSON.stringify(body) });
      if (answer.status === 409) return undefined;
      if (!answer.ok) throw new Error(await answer.text());
      return await answer.json();
    });
  }
  /** The form, which asks again and again for 401: each is a line of the browser's console. */
  async function form(options = {}): Promise<Page> {
    browser.problems.expect(/status of 401/);
    const page = await browser.open(`${worker.url}/ui/`, options);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    return page;
  }
  async function withPassword(page: Page, user: string, password: string): Promise<void> {
    await page.getByLabel('User').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  async function withToken(page: Page, token: string): Promise<void> {
    await page.getByRole('tab', { name: 'Token' }).click();
    await page.locator('input[type=password]').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('the form: no dialog of the browser, axe finds nothing, and the keyboard suffices', async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: PHONE }]) {
      const page = await form(options);
      expect(await axe(page)).toEqual([]);
      await page.getByLabel('User').focus();
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('pässword');
      await page.keyboard.press('Enter');
      await new OverviewPage(page).loaded();
    }
  });

  test('a wrong password is refused, and the right one accepted', async () => {
    const page = await form();
    await withPassword(page, 'alice', 'wrong');
    await page.getByText('Wrong user or password.').waitFor();
    await withPassword(page, 'alice', 'pässword');
    await new OverviewPage(page).loaded();
    await page.getByText('admin', { exact: true }).waitFor();
  });

  test('a user without a role sees a message about it', async () => {
    const page = await form();
    browser.problems.expect(/status of 403/);
    await withPassword(page, 'none', 'pw');
    await page.getByRole('alert').filter({ hasText: /role/ }).waitFor();
  });

  test('an admin changes connectors; the tab forgets the credentials on signing out, and no other tab has them', async () => {
    const page = await form();
    await withPassword(page, 'alice', 'pässword');
    const overview = await new OverviewPage(page).loaded();
    await overview.waitForState(NAME, 'running');
    await overview.select(NAME);
    await overview.action('Pause').click();
    await overview.waitForResult(NAME, 'done');
    await overview.action('Resume').click();
    await overview.waitForResult(NAME, 'done');
    const other = await page.context().newPage();
    await other.goto(`${worker.url}/ui/`);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByText(NAME).count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  test('a reader sees everything but secrets, and which role an action needs', async () => {
    const page = await form();
    await withPassword(page, 'rita', 'pw');
    const overview = await new OverviewPage(page).loaded();
    await overview.select(NAME);
    for (const [label, role] of [
      ['Pause', 'operator'],
      ['Restart', 'operator'],
      ['Delete', 'admin'],
    ] as const)
      expect(await overview.action(label).getAttribute('title')).toBe(
        `Your role is reader; this needs the role ${role}`,
      );
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && !new URL(request.url()).pathname.endsWith('/validate'))
        changes.push(request.url());
    });
    browser.problems.expect(/status of 403.*dead-letters/);
    for (const fragment of pagesOf(NAME)) {
      await show(page, fragment);
      expect(await page.content()).not.toContain(SECRET);
      // Whatever looks possible must be refused by the page itself.
      expect({ fragment, violations: await axe(page) }).toEqual({ fragment, violations: [] });
    }
    expect(changes).toEqual([]);
  });

  test('an operator signs in with a token, and may restart but not delete', async () => {
    const page = await form();
    await withToken(page, await provider.token({ sub: 'otto', roles: ['connect-operators'] }, {}, 'foreign'));
    await page.getByText('The worker does not accept this token.').waitFor();
    await withToken(page, await provider.token({ sub: 'otto', roles: ['connect-operators'] }));
    const overview = await new OverviewPage(page).loaded();
    await overview.select(NAME);
    expect(await overview.action('Delete').getAttribute('title')).toBe(
      'Your role is operator; this needs the role admin',
    );
    await overview.action('Restart').click();
    await overview.dialog.getByRole('button', { name: 'Restart the connector' }).click();
    await overview.waitForResult(NAME, 'done');
  });

  test('a token that expires asks again above what is shown, which remains', async () => {
    const page = await form();
    const iat = Math.floor(Date.now() / 1000);
    await withToken(page, await provider.token({ sub: 'otto', roles: ['connect-operators'], iat, exp: iat + 8 }));
    const overview = await new OverviewPage(page).loaded();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor({ timeout: 90_000 });
    expect(await overview.names()).toEqual([NAME]);
    await dialog.getByRole('tab', { name: 'Token' }).click();
    await dialog
      .locator('input[type=password]')
      .fill(await provider.token({ sub: 'otto', roles: ['connect-operators'] }));
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.waitForResponse((response) => response.url().includes('/ui/api/overview') && response.ok());
  });
});
