/** The page itself: what it weighs, what it may do, and that its policy is kept. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';

/** Of what the browser receives for the page, in bytes. */
const MOST_BYTES = 150 * 1024;

describeInBrowser('the console’s page', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker({ group: uniqueName('console') });
    await worker.ready();
  });
  afterAll(() => worker.stop());

  test('a browser that asks for / is led to the console; the page weighs at most 150 KB', async () => {
    const page = await browser.open(`${worker.url}/`);
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    expect(page.url()).toBe(`${worker.url}/ui/`);
    const sizes = await page.evaluate(() =>
      (performance.getEntries() as unknown as { entryType: string; name: string; transferSize: number }[])
        .filter(({ entryType }) => entryType === 'navigation' || entryType === 'resource')
        .map(({ name, transferSize }) => [name, transferSize] as const),
    );
    const files = sizes.filter(([name]) => !name.includes('/ui/api/'));
    const names = files.map(([name]) => new URL(name).pathname.replace(/-\w{8}\./, '-*.'));
    expect([...new Set(names)].sort()).toEqual(expect.arrayContaining(['/ui/', '/ui/console-*.js', '/ui/style-*.css']));
    expect(names.filter((name) => !/^\/ui\/(?:|[\w-]+-\*\.(?:js|css))$/.test(name))).toEqual([]);
    expect(files.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  test('the policy allows only the worker’s own files, and no text as code', async () => {
    const { headers } = await fetch(`${worker.url}/ui/`);
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule): [string, string] => {
        const [name = '', ...values] = rule.split(' ');
        return [name, values.join(' ')];
      }),
    );
    expect(Object.fromEntries(policy)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });
});
