/**
 * connect-rest §7, cases 151 to 153, as a client sees them. A worker at `CONFORMANCE_URL` must have been started with
 * `HEADER_SETTINGS` if `CONFORMANCE_HEADERS` is set; otherwise the cases are skipped.
 */
import { Target } from './client';
import { HEADER_SETTINGS } from './worker-settings';

const given = process.env.CONFORMANCE_URL !== undefined && process.env.CONFORMANCE_HEADERS === undefined;

(given ? describe.skip : describe)('CORS and headers', () => {
  let target: Target;
  beforeAll(async () => {
    target = await Target.open(HEADER_SETTINGS);
  });
  afterAll(() => target.close());

  test('connect-rest 151: an allowed origin is echoed, other origins get no CORS headers', async () => {
    for (const [origin, echoed] of [
      ['http://a.example', 'http://a.example'],
      ['HTTPS://X.B.EXAMPLE', 'HTTPS://X.B.EXAMPLE'],
      ['http://c.example', undefined],
    ] as const) {
      for (const path of ['/connectors', '/nope']) {
        const { headers } = await target.call('GET', path, undefined, { Origin: origin });
        expect([headers.vary, headers['access-control-allow-origin']]).toEqual(['Origin', echoed]);
      }
    }
    const { headers } = await target.call('GET', '/');
    expect([headers.vary, headers['access-control-allow-origin']]).toEqual(['Origin', undefined]);
  });

  test('connect-rest 152: preflight', async () => {
    const answer = await target.call('OPTIONS', '/connectors', undefined, {
      Origin: 'http://a.example',
      'Access-Control-Request-Method': 'DELETE',
    });
    expect([answer.status, answer.headers.allow]).toEqual([200, 'HEAD,POST,GET,OPTIONS']);
    expect(answer.headers['access-control-allow-methods']?.split(',').sort()).toEqual(['GET', 'PUT']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '60',
    });
  });

  test('connect-rest 153: configured headers, on errors too', async () => {
    for (const path of ['/connectors', '/nope', '/connectors/none']) {
      const { headers } = await target.call('GET', path);
      expect(headers).toMatchObject({ 'x-foo': 'bar', 'x-bar': 'a,b' });
    }
  });
});
