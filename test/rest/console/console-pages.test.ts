/** The files of the console at `/ui/`, and who is redirected to them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { fakeWorker } from '../fake-worker';

const SCRIPT = 'console-ABCD2345.js';
const folder = mkdtempSync(join(tmpdir(), 'console-'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Millrace</title>');
writeFileSync(join(folder, SCRIPT), 'void 0;'.repeat(100));
writeFileSync(join(folder, 'style-ABCD2345.css'), 'p{}');
writeFileSync(join(folder, 'LICENSE.preact'), 'MIT');
afterAll(() => rmSync(folder, { recursive: true }));

const { app } = fakeWorker({ consoleFolder: folder });
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('GET / redirects browsers alone', () => {
  test.each([
    ['Chrome and Firefox', BROWSER],
    ['lynx', 'text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01'],
    ['a page alone', 'text/html'],
    ['a page rather than JSON', 'application/json;q=0.5, text/html'],
  ])('%s: 303', async (_client, accept) => {
    for (const method of ['get', 'head'] as const) {
      const answer = await request(app)[method]('/').redirects(0).set('Accept', accept);
      expect([answer.status, answer.headers['location'], answer.text ?? '']).toEqual([303, 'ui/', '']);
    }
  });

  test.each([
    ['curl', '*/*', 200],
    ['a JSON client', 'application/json', 200],
    ['JSON or a page', 'application/json, text/html', 200],
    ['JSON rather than a page', 'text/html;q=0.9, application/json', 200],
    ["Java's HTTP client", 'text/html, image/gif, image/jpeg, */*; q=0.2', 200],
    ['no page', 'text/html;q=0, */*', 200],
    ['any text', 'text/*, */*;q=0.1', 200],
    ['any text alone', 'text/*', 406],
    ['plain text', 'text/plain', 406],
    ['no list', ', ,', 400],
  ])("%s: Java's answer", async (_client, accept, status) => {
    const answer = await request(app).get('/').redirects(0).set('Accept', accept);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(status === 200 ? '"version":"4.3.1"' : `"error_code":${status}`);
  });

  test('without an Accept header, and for changes', async () => {
    expect((await request(app).get('/').redirects(0)).status).toBe(200);
    expect((await request(app).post('/').redirects(0).set('Accept', BROWSER)).status).toBe(405);
  });

  test('and no other path', async () => {
    expect((await request(app).get('/connectors').redirects(0).set('Accept', BROWSER)).status).toBe(200);
    expect((await request(app).get('/health').redirects(0).set('Accept', 'text/html')).status).toBe(406);
  });
});

describe('the files', () => {
  test('GET /ui redirects to the folder, relatively, so that a proxy may add a path', async () => {
    const answer = await request(app).get('/ui').redirects(0);
    expect([answer.status, answer.headers['location']]).toEqual([303, 'ui/']);
  });

  test.each([
    ['/ui/', 'text/html; charset=utf-8', 'no-cache'],
    ['/ui/index.html', 'text/html; charset=utf-8', 'no-cache'],
    [`/ui/${SCRIPT}`, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/ui/style-ABCD2345.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/ui/LICENSE.preact', 'text/plain; charset=utf-8', 'no-cache'],
  ])('%s', async (path, type, cache) => {
    for (const coding of ['gzip', 'identity']) {
      const answer = await request(app).get(path).set('Accept-Encoding', coding).buffer();
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': type,
        'cache-control': cache,
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(answer.headers['content-encoding']).toBe(coding === 'gzip' ? 'gzip' : undefined);
      expect(answer.headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          "trusted-types 'none'",
      );
      const tag = answer.headers['etag'] as string;
      const same = await request(app).get(path).set('If-None-Match', `"other", ${tag}`);
      expect([same.status, same.text, same.headers['etag']]).toEqual([304, '', tag]);
    }
    const head = await request(app).head(path);
    expect([head.status, head.headers['content-type'], head.text ?? '']).toEqual([200, type, '']);
  });

  test('the bytes are the same, compressed or not', async () => {
    const texts = ['gzip', 'identity'].map(
      async (coding) => (await request(app).get(`/ui/${SCRIPT}`).set('Accept-Encoding', coding).buffer()).text,
    );
    expect(await Promise.all(texts)).toEqual(['void 0;'.repeat(100), 'void 0;'.repeat(100)]);
  });

  test.each(['/ui/nothing.js', '/ui/..%2findex.html', '/ui/%2e%2e/x', '/ui/a/b', '/ui/api', '/ui/api/none', '/ui2'])(
    'GET %s is 404 in JSON',
    async (path) => {
      const answer = await request(app).get(path).set('Accept', BROWSER);
      expect([answer.status, answer.text]).toEqual([404, '{"error_code":404,"message":"HTTP 404 Not Found"}']);
    },
  );

  test.each(['/ui', '/ui/', `/ui/${SCRIPT}`])('POST %s is 405 in JSON', async (path) => {
    const answer = await request(app).post(path);
    expect([answer.status, answer.text]).toEqual([405, '{"error_code":405,"message":"HTTP 405 Method Not Allowed"}']);
  });

  test('a worker installed without them answers what to do, and serves everything else', async () => {
    const incomplete = fakeWorker({ consoleFolder: join(folder, 'none') }).app;
    const answer = await request(incomplete).get('/ui/');
    expect([answer.status, answer.body]).toEqual([
      404,
      { error_code: 404, message: 'The files of the console are missing; install this version of Millrace again' },
    ]);
    expect((await request(incomplete).get('/ui/api/session')).status).toBe(200);
  });
});
