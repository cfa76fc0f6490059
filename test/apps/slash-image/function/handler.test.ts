/** The function, from event to response, with a stub of the image API. */
import { freePort } from '../../../../dev/services/free-port';
import { gif, giphyAnswer, startImageApi, type ImageApi } from '../../../../dev/services/image-api';
import { createGiphy } from '../../../../apps/slash-image/src/function/image/giphy';
import { createLog } from '../../../../apps/slash-image/src/function/log';
import { readSettings } from '../../../../apps/slash-image/src/function/settings';
import { build, command, eventOf, KEY, SECRET, signedEvent, signedHeaders, VECTORS } from '../command';

let api: ImageApi;

let standard: ImageApi['answer'];

beforeAll(async () => {
  api = await startImageApi();
  standard = api.answer;
});
beforeEach(() => {
  api.answer = standard;
  api.asked.length = 0;
});
afterAll(() => api.close());

const fn = (env: Record<string, string> = {}) => build({ IMAGE_API_URL: api.url, ...env });
const send = async (text: string, env?: Record<string, string>) => await fn(env).handler(signedEvent(command(text)));
const json = (response: { body: string }) => JSON.parse(response.body) as Record<string, unknown>;
const answering = (body: string, status = 200) => {
  api.answer = (_req, res) => res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
};

const UNAUTHORIZED = {
  statusCode: 401,
  body: 'Unauthorized',
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
};
const NOT_AVAILABLE = 'The image service is not available right now. Please try again.';
const ephemeral = (text: string) => ({ response_type: 'ephemeral', text });

test.each(VECTORS)(
  'slash-webhook 1: the vector of %s at %s is accepted, a changed one is rejected',
  async (secret, timestamp, body, signature) => {
    const now = () => Number(timestamp) * 1000;
    const { handler } = build({ IMAGE_API_URL: api.url, CHAT_SIGNING_SECRET: secret }, { now });
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    expect(await handler(eventOf(body, { headers }))).toMatchObject({ statusCode: 200 });
    expect(await handler(eventOf(`${body}x`, { headers }))).toEqual(UNAUTHORIZED);
  },
);

test('slash-webhook 2: a signed form is answered with an image', async () => {
  const response = await send('cat');
  expect(response).toMatchObject({ statusCode: 200, headers: { 'Content-Type': 'application/json' } });
  expect(json(response)).toEqual({
    response_type: 'ephemeral',
    text: '*With* :heart:',
    attachments: [
      {
        text: 'cat GIF',
        image_url: 'https://media0.giphy.com/media/cat/giphy-downsized.gif',
        fallback: 'cat GIF',
        footer: 'Powered By GIPHY',
      },
    ],
  });
  expect(api.asked.map(String)).toEqual([`api_key=${KEY}&tag=cat&rating=g`]);
});

test('rating and text are configurable', async () => {
  expect(json(await send('cat', { IMAGE_RATING: '', REPLY_TEXT: 'Here:' }))).toMatchObject({ text: 'Here:' });
  expect(api.asked.map(String)).toEqual([`api_key=${KEY}&tag=cat`]);
});

test('slash-webhook 4: a plain body is used unchanged, also one without the flag that is not base64', async () => {
  const body = command('cat');
  for (const isBase64Encoded of [false, undefined] as boolean[])
    expect((await fn().handler(signedEvent(body, { body, isBase64Encoded }))).statusCode).toBe(200);
  expect((await fn().handler(signedEvent(body, { isBase64Encoded: undefined as never }))).statusCode).toBe(200);
  expect(api.asked).toHaveLength(3);
});

test('slash-webhook 5: invalid base64 is 400, an empty body 401', async () => {
  for (const body of ['%%%', 'abc def', 'YQ=x', 'Y'])
    expect(await fn().handler(eventOf('', { body }))).toMatchObject({ statusCode: 400, body: 'invalid body' });
  expect(await fn().handler(eventOf(''))).toEqual(UNAUTHORIZED);
  const { body: _, ...bodiless } = eventOf('', { isBase64Encoded: false });
  expect(await fn().handler(bodiless as never)).toEqual(UNAUTHORIZED);
});

test('slash-webhook 6: both headers are required, in any case, otherwise 401', async () => {
  const body = command('cat');
  const headers = signedHeaders(body);
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers as Record<string, string>;
  const call = async (given: Record<string, string | undefined>) =>
    await fn().handler(eventOf(body, { headers: given as Record<string, string> }));
  expect(await call({})).toEqual(UNAUTHORIZED);
  expect(await call({ 'x-slack-signature': signature })).toEqual(UNAUTHORIZED);
  expect(await call({ 'x-slack-request-timestamp': timestamp })).toEqual(UNAUTHORIZED);
  expect(await call({ ...headers, 'X-Slack-Signature': signature })).toEqual(UNAUTHORIZED);
  const mixed = { 'X-Slack-Signature': signature, 'X-SLACK-Request-Timestamp': timestamp };
  expect((await call(mixed)).statusCode).toBe(200);
});

test.each([
  [
    'slash-webhook 7: two signatures',
    (h: Record<string, string>) => ({ 'x-slack-signature': `${h['x-slack-signature']},v0=` }),
  ],
  ['slash-webhook 8: an old timestamp', () => signedHeaders(command('cat'), SECRET, Date.now() - 302_000)],
  ['slash-webhook 8: a timestamp to come', () => signedHeaders(command('cat'), SECRET, Date.now() + 600_000)],
])('%s is 401', async (_, change) => {
  const headers = signedHeaders(command('cat'));
  const event = eventOf(command('cat'), { headers: { ...headers, ...change(headers) } });
  expect(await fn().handler(event)).toEqual(UNAUTHORIZED);
  expect(api.asked).toEqual([]);
});

test('slash-webhook 10: without a secret everything is 401, without a key a signed request is 500', async () => {
  const secretless = fn({ CHAT_SIGNING_SECRET: '' }).handler;
  const check = eventOf('ssl_check=1');
  for (const event of [signedEvent(command('cat')), eventOf(''), eventOf('', { body: '%' }), check])
    expect(await secretless(event)).toEqual(UNAUTHORIZED);
  const keyless = fn({ IMAGE_API_KEY: '' });
  expect((await keyless.handler(signedEvent(command('cat')))).statusCode).toBe(500);
  expect(keyless.log.join('\n')).toContain('IMAGE_API_KEY is not set');
  expect(await keyless.handler(eventOf(command('cat')))).toEqual(UNAUTHORIZED);
});

test('slash-webhook 11: a request signed with the second secret is accepted', async () => {
  const { handler } = fn({ CHAT_SIGNING_SECRET: `the-old-one\n ${SECRET}` });
  expect((await handler(signedEvent(command('cat')))).statusCode).toBe(200);
});

test('slash-webhook 12: the certificate check is 200 and has no effect', async () => {
  const empty = { statusCode: 200, body: '' };
  expect(await fn().handler(eventOf('ssl_check=1&text=cat&payload=%7B%7D'))).toMatchObject(empty);
  const get = { http: { method: 'GET' } } as never;
  const query = eventOf('', { rawQueryString: 'ssl_check=1&token=t', requestContext: get });
  expect(await fn().handler(query)).toMatchObject(empty);
  expect(api.asked).toEqual([]);
});

test('slash-webhook 13: a signed GET is 405, an unsigned one 401', async () => {
  const requestContext = { http: { method: 'GET' } } as never;
  expect(await fn().handler(signedEvent('', { requestContext }))).toMatchObject({
    statusCode: 405,
    headers: { Allow: 'POST' },
    body: '',
  });
  expect(await fn().handler(eventOf('', { requestContext }))).toEqual(UNAUTHORIZED);
});

test.each([
  'command=%2Fawsome&text=',
  'command=%2Fawsome',
  'command=%2Fawsome&text=+%09+',
  'command=%2Fawsome&text=%01',
])('slash-webhook 16: %p is answered with the usage', async (body) => {
  const response = await fn().handler(signedEvent(body));
  expect(json(response)).toEqual(ephemeral('Usage: /awsome &lt;search term&gt;'));
  expect(api.asked).toEqual([]);
});

test('a signed body that is not a form is answered with the usage', async () => {
  const response = await fn().handler(signedEvent(Buffer.from([0, 255, 254, 1])));
  expect(response.statusCode).toBe(200);
  expect(json(response)['text']).toMatch(/^Usage: /);
});

test('slash-webhook 17: the term is decoded once, accents included', async () => {
  await fn().handler(signedEvent('text=caf%C3%A9+%26+cr%C3%A8me'));
  await fn().handler(signedEvent('text=café'));
  expect(api.asked.map((query) => query.get('tag'))).toEqual(['café & crème', 'café']);
});

test.each([
  ['x&api_key=evil', 'x&api_key=evil'],
  ['a#b?c%d=e+f', 'a#b?c%d=e+f'],
  ['two\nlines\tand  more', 'two lines and more'],
  ['\u0000tricky\u0007', 'tricky'],
  ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
  ['fish &amp; chips &lt;3', 'fish & chips <3'],
  ['&amp;lt;', '&lt;'],
])('slash-webhook 18: %j is one tag, %j', async (text, tag) => {
  await send(text);
  expect(api.asked.map((query) => [query.getAll('tag'), query.getAll('api_key')])).toEqual([[[tag], [KEY]]]);
});

test('slash-webhook 19: a long term is cut between characters', async () => {
  await send('😀'.repeat(80));
  await send(`${'a'.repeat(49)} b${'c'.repeat(40)}`);
  expect(api.asked.map((query) => query.get('tag'))).toEqual(['😀'.repeat(50), 'a'.repeat(49)]);
});

test.each([[[]], [{}]])('slash-webhook 20: %j does not match', async (data) => {
  answering(giphyAnswer(data));
  expect(json(await send('a "rare" <thing>'))).toEqual(ephemeral('No image found for "a "rare" &lt;thing&gt;".'));
});

test.each([
  ['only the original', { images: { original: { url: 'https://i.giphy.com/o.gif' } } }, 'https://i.giphy.com/o.gif'],
  [
    'the medium one before the original',
    {
      images: {
        original: { url: 'https://i.giphy.com/o.gif' },
        downsized_medium: { url: 'https://i.giphy.com/m.gif' },
      },
    },
    'https://i.giphy.com/m.gif',
  ],
  ['the flat field of old', { image_url: 'https://media.giphy.com/x.gif' }, 'https://media.giphy.com/x.gif'],
  ['nothing', { title: 'none', images: {} }, null],
])('slash-webhook 21: %s', async (_, data, url) => {
  answering(giphyAnswer({ title: 't', ...data }));
  const message = json(await send('cat')) as { attachments?: { image_url: string }[]; text: string };
  if (url === null) expect(message.text).toBe('No image found for "cat".');
  else expect(message.attachments?.[0]?.image_url).toBe(url);
});

test.each([
  ['a synthetic answer', giphyAnswer([], { response_id: '' })],
  ['JSON that is no object', '5'],
  ['an answer without anything', '{}'],
])('slash-webhook 22: %s is an error, not "no match"', async (_, body) => {
  answering(body);
  expect(json(await send('cat'))).toEqual(ephemeral(NOT_AVAILABLE));
});

test.each([
  [401, 'The image service refused our request.', 502],
  [403, 'The image service refused our request.', 502],
  [404, NOT_AVAILABLE, 424],
  [414, NOT_AVAILABLE, 424],
  [429, 'Too many requests to the image service. Please try again later.', 503],
  [500, NOT_AVAILABLE, 424],
  [503, NOT_AVAILABLE, 424],
])('slash-webhook 23: the API’s status %d: %s', async (status, text, machineStatus) => {
  for (const httpStatus of [status, 200]) {
    answering(giphyAnswer([], { status, msg: 'trouble', response_id: '' }), httpStatus);
    const { handler, log } = fn();
    const response = await handler(signedEvent(command('cat')));
    expect([response.statusCode, json(response)]).toEqual([200, ephemeral(text)]);
    const forMachines = await send('cat', { ERROR_STYLE: 'status' });
    expect(forMachines).toMatchObject({ statusCode: machineStatus, body: text });
    expect(log.some((line) => line.includes('"level":"error"'))).toBe(status === 401 || status === 403);
  }
});

test('slash-webhook 24: an API call that hangs is aborted within the budget', async () => {
  api.answer = () => undefined;
  const began = performance.now();
  expect(json(await send('cat', { UPSTREAM_TIMEOUT_MS: '300' }))).toEqual(ephemeral(NOT_AVAILABLE));
  expect(performance.now() - began).toBeGreaterThan(250);
  // At most one request: on a busy machine the budget may expire before the first one is sent.
  expect(api.asked.length).toBeLessThanOrEqual(1);
});

test('slash-webhook 24: the image source gets what remains of 2.5 s', async () => {
  const budgets: number[] = [];
  const images = { random: async (_: string, budgetMs: number) => (budgets.push(budgetMs), { kind: 'none' as const }) };
  await build({}, { images }).handler(signedEvent(command('cat')));
  expect(budgets).toEqual([expect.any(Number)]);
  expect(budgets[0]).toBeLessThanOrEqual(2_500);
});

test('slash-webhook 24: a response that starts and never ends is aborted, too', async () => {
  api.answer = (_req, res) => void res.writeHead(200).write('{"data":');
  expect(json(await send('cat', { UPSTREAM_TIMEOUT_MS: '300' }))).toEqual(ephemeral(NOT_AVAILABLE));
});

test('slash-webhook 24: the connection is refused', async () => {
  const IMAGE_API_URL = `http://127.0.0.1:${await freePort()}/`;
  expect(json(await send('cat', { IMAGE_API_URL }))).toEqual(ephemeral(NOT_AVAILABLE));
});

test.each([
  [
    'drops in the middle',
    (): typeof api.answer => (_req, res) => res.writeHead(200).write('{"da', () => res.destroy()),
  ],
  ['5 MB', (): typeof api.answer => (_req, res) => res.end(`{"data":"${'x'.repeat(5_000_000)}"}`)],
  ['HTML', (): typeof api.answer => (_req, res) => res.setHeader('Content-Type', 'text/html').end('<h1>Hello</h1>')],
  ['a redirect', (): typeof api.answer => (_req, res) => res.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
])('slash-webhook 24: a response that is %s', async (_, make) => {
  api.answer = make();
  expect(json(await send('cat'))).toEqual(ephemeral(NOT_AVAILABLE));
});

const words = (log: readonly string[]): string => log.map((line) => `${line}\n`).join('');

test.each([
  [
    'over 1 MiB',
    '"reason":"the response is larger than 1048576 bytes"',
    (): typeof api.answer => (_req, res) => res.end(`{"data":"${'x'.repeat(2_000_000)}"}`),
  ],
  [
    'a redirect',
    '"reason":"status 302: redirects are not followed"',
    (): typeof api.answer => (_req, res) => res.writeHead(302, { Location: api.url }).end(),
  ],
])(
  'slash-webhook 24: a response that is %s is requested once, because a retry would return the same',
  async (_, reason, make) => {
    api.answer = make();
    const { handler, log } = fn();
    expect(json(await handler(signedEvent(command('cat'))))).toEqual(ephemeral(NOT_AVAILABLE));
    expect(api.asked).toHaveLength(1);
    expect(words(log)).toContain(reason);
  },
);

test('the log has the reason why the API call failed, without its address or the key', async () => {
  const port = await freePort();
  const { handler, log } = fn({ IMAGE_API_URL: `http://127.0.0.1:${port}/` });
  await handler(signedEvent(command('cat')));
  expect(words(log)).toContain(`"reason":"fetch failed: connect ECONNREFUSED 127.0.0.1:${port}"`);
  const [KEY_IN_URL, SPACED] = ['a key&/=', 'a secret term'];
  const images = createGiphy(
    { ...readSettings({}).settings, imageApiUrl: 'https://api.example/random' },
    KEY_IN_URL,
    createLog('info', (line) => void log.push(line)),
    (url) => Promise.reject(new TypeError(`cannot parse ${String(url)}`, { cause: new Error(`with ${KEY_IN_URL}`) })),
  );
  expect(await images.random(SPACED, 500)).toEqual({ kind: 'unavailable' });
  expect(log.at(-1)).toContain('"reason":"cannot parse <url>: with ***"');
});

test('a transient failure is retried once, a rejection is not', async () => {
  let calls = 0;
  api.answer = (req, res) => (calls++ === 0 ? void res.writeHead(503).end() : standard(req, res));
  expect(json(await send('cat'))).toHaveProperty('attachments');
  expect(api.asked).toHaveLength(2);
  answering('{}', 429);
  await send('cat');
  expect(api.asked).toHaveLength(3);
});

test.each([
  'http://media.giphy.com/a.gif',
  'javascript:alert(1)',
  'https://evil.example/a.gif',
  'https://notgiphy.com/a.gif',
  'https://giphy.com.evil.example/a.gif',
  'https://giphy.com@evil.example/a.gif',
  `https://media.giphy.com/${'a'.repeat(4_000)}.gif`,
  'not a URL',
])('slash-webhook 25: the image %.60s is not used', async (url) => {
  answering(giphyAnswer({ title: 't', images: { downsized: { url } } }));
  expect(json(await send('cat'))).toEqual(ephemeral('No image found for "cat".'));
  answering(giphyAnswer({ images: { downsized: { url }, original: { url: 'https://i.giphy.com/o.gif' } } }));
  expect(json(await send('cat'))).toMatchObject({ attachments: [{ image_url: 'https://i.giphy.com/o.gif' }] });
});

test.each([
  ['https://img.example.org/a.gif', 'img.example.org is not in IMAGE_HOSTS'],
  ['http://media.giphy.com/a.gif', 'its URL is not https'],
  [`https://media.giphy.com/${'a'.repeat(4_000)}.gif`, 'its URL is longer than 3000 characters'],
  ['https://user:pass@media.giphy.com/a.gif', 'its URL contains a user'],
  ['not a URL', 'its URL is invalid'],
])('slash-webhook 25: the log names the rejected image %.40s and the reason', async (url, reason) => {
  answering(giphyAnswer({ title: 't', images: { downsized: { url } } }));
  const { handler, log } = fn();
  expect(json(await handler(signedEvent(command('cat'))))).toEqual(ephemeral('No image found for "cat".'));
  const line = log.map((text) => JSON.parse(text) as object).find((entry) => 'reason' in entry);
  expect(line).toMatchObject({ level: 'warn', msg: 'the image from the API is not usable', reason });
  // A search without a match is not logged.
  answering(giphyAnswer([]));
  await handler(signedEvent(command('cat')));
  expect(log.filter((text) => text.includes('is not usable'))).toHaveLength(1);
});

test('other hosts can be allowed by the operator', async () => {
  answering(giphyAnswer({ title: 't', images: { downsized: { url: 'https://img.example.org/a.gif' } } }));
  const message = json(await send('cat', { IMAGE_HOSTS: 'giphy.com, example.org' }));
  expect(message).toMatchObject({ attachments: [{ image_url: 'https://img.example.org/a.gif' }] });
});

test('slash-webhook 26: a title cannot mention users', async () => {
  answering(giphyAnswer(gif('<!channel> & <b>')));
  for (const env of [{}, { REPLY_STYLE: 'blocks' }] as Record<string, string>[]) {
    const { body } = await send('cat', env);
    expect(body).toContain('&lt;!channel&gt; &amp; &lt;b&gt;');
    expect(body).not.toContain('<');
  }
});

test('slash-webhook 27: an image may be visible to the channel, errors only to the user', async () => {
  const env = { REPLY_VISIBILITY: 'in_channel' };
  expect(json(await send('cat', env))['response_type']).toBe('in_channel');
  expect(json(await send('', env))['response_type']).toBe('ephemeral');
  answering(giphyAnswer([]));
  expect(json(await send('cat', env))['response_type']).toBe('ephemeral');
});

test('slash-webhook 29: an unexpected error is 500 without details', async () => {
  const images = { random: () => Promise.reject(new Error('a fault on purpose')) };
  const { handler, log } = build({}, { images });
  const response = await handler(signedEvent(command('cat')));
  expect(response).toMatchObject({ statusCode: 500, body: 'Failed to process request' });
  expect(log.join('\n')).toContain('a fault on purpose');
  expect((await handler({} as never)).statusCode).toBe(401);
});

test('slash-webhook 36: the log has no secret or personal data', async () => {
  const { handler, log } = fn();
  const events = [
    signedEvent(command('a private term')),
    eventOf(command('x'), { headers: signedHeaders('other') }),
    signedEvent(''),
  ];
  for (const event of events) await handler(event);
  api.answer = (_req, res) => void res.destroy();
  await handler(signedEvent(command('a private term')));
  answering('{}', 403);
  await handler(signedEvent(command('a private term')));
  const text = log.join('\n');
  expect(log.length).toBeGreaterThanOrEqual(6);
  for (const secret of [SECRET, KEY, 'v0=', 'roadrunner', 'private', 'U1', api.url]) expect(text).not.toContain(secret);
});

test('the reason of a 401 is logged at debug', async () => {
  const { handler, log } = build({}, { level: 'debug' });
  await handler(eventOf('text=x'));
  expect(log.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ reason: 'no signature' }),
  );
});
