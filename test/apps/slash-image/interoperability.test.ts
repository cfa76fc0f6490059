/** Comparison with the chat platform's own libraries. */
import {
  AwsLambdaReceiver,
  isValidSlackRequest,
  LogLevel,
  verifySlackRequest,
  type App,
  type Logger,
} from '@slack/bolt';
import type { ContextBlock, ImageBlock, MessageAttachment } from '@slack/types';
import { signatureProblem } from '../../../apps/slash-image/src/function/signature';
import { gif, giphyAnswer, startImageApi, type ImageApi } from '../../../dev/services/image-api';
import { build, command, eventOf, SECRET, signedEvent, signedHeaders, VECTORS } from './command';

/** The library's result. */
function isValid(headers: Record<string, string>, body: string, secret: string, nowMilliseconds: number): boolean {
  return isValidSlackRequest({
    signingSecret: secret,
    body,
    headers: {
      'x-slack-signature': headers['x-slack-signature'] as string,
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    },
    nowMilliseconds,
  });
}

let api: ImageApi;
beforeAll(async () => {
  api = await startImageApi();
});
afterAll(() => api.close());

test.each(VECTORS)(
  'slash-webhook 38: the library and this code agree on the vector of %s at %s',
  (secret, timestamp, body, signature) => {
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    const nowMs = Number(timestamp) * 1000;
    expect(isValid(headers, body, secret, nowMs)).toBe(true);
    expect(isValid(headers, `${body}x`, secret, nowMs)).toBe(false);
  },
);

test('slash-webhook 38: the library accepts what this code signs, and rejects what it rejects, over many bodies', () => {
  const nowMs = 1_700_000_000_000;
  const options = { secrets: [SECRET], maxAgeS: 300, nowMs };
  for (const text of ['', 'cat', 'café & crème', '😀', 'a=b&c=d', '%', 'x'.repeat(3000), '\u2028"\\']) {
    const body = command(text);
    for (const age of [0, 299, 300, 301, 3000]) {
      const headers = signedHeaders(body, SECRET, nowMs - age * 1000);
      const ours = signatureProblem(
        {
          timestamp: headers['x-slack-request-timestamp'],
          signature: headers['x-slack-signature'],
          body: Buffer.from(body),
        },
        options,
      );
      expect([text, age, ours === null]).toEqual([text, age, isValid(headers, body, SECRET, nowMs)]);
    }
  }
  const future = signedHeaders('x', SECRET, nowMs + 400_000);
  // The only difference, intended: the library accepts future timestamps.
  expect(isValid(future, 'x', SECRET, nowMs)).toBe(true);
  const [timestamp, signature] = [future['x-slack-request-timestamp'], future['x-slack-signature']];
  expect(signatureProblem({ timestamp, signature, body: Buffer.from('x') }, options)).toBe('timestamp in the future');
});

test('slash-webhook 38: its throwing form accepts these signatures, too', () => {
  const headers = signedHeaders('text=cat');
  const given = {
    'x-slack-signature': headers['x-slack-signature'] as string,
    'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
  };
  expect(() => verifySlackRequest({ signingSecret: SECRET, body: 'text=cat', headers: given })).not.toThrow();
  expect(() => verifySlackRequest({ signingSecret: 'other', body: 'text=cat', headers: given })).toThrow(
    /signature mismatch/,
  );
});

test('slash-webhook 38: its Lambda receiver and this handler answer the same events alike', async () => {
  const nothing = (): void => undefined;
  const logger: Logger = {
    ...{ debug: nothing, info: nothing, warn: nothing, error: nothing, setLevel: nothing, setName: nothing },
    getLevel: () => LogLevel.ERROR,
  };
  const receiver = new AwsLambdaReceiver({ signingSecret: SECRET, logger });
  receiver.init({ processEvent: async () => undefined } as unknown as App);
  const theirs = receiver.toHandler();
  const ours = build({ IMAGE_API_URL: api.url }).handler;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  const body = command('cat');
  const bad = eventOf(body, { headers: { ...form, ...signedHeaders('another body') } });
  const check = eventOf('ssl_check=1', { headers: { ...form, ...signedHeaders('ssl_check=1') } });
  for (const [event, status] of [
    [bad, 401],
    [check, 200],
  ] as const) {
    const answer = await theirs(event as never, {} as never);
    expect([answer.statusCode, (await ours(event)).statusCode]).toEqual([status, status]);
  }
});

test('slash-webhook 28: blocks match the platform’s types', async () => {
  const { handler } = build({ IMAGE_API_URL: api.url, REPLY_STYLE: 'blocks' });
  const send = async () =>
    JSON.parse((await handler(signedEvent(command('cat')))).body) as { blocks: unknown[]; text: string };
  const url = 'https://media0.giphy.com/media/cat/giphy-downsized.gif';
  const attribution: ContextBlock = { type: 'context', elements: [{ type: 'mrkdwn', text: 'Powered By GIPHY' }] };
  const image: ImageBlock = {
    type: 'image',
    image_url: url,
    alt_text: 'cat GIF',
    title: { type: 'plain_text', text: 'cat GIF' },
  };
  expect(await send()).toEqual({ response_type: 'ephemeral', text: 'cat GIF', blocks: [image, attribution] });

  // Without a title, the alternative text is still set. Long titles are truncated.
  const untitled: ImageBlock = { type: 'image', image_url: url, alt_text: 'GIF for cat' };
  api.answer = (_req, res) => res.end(giphyAnswer(gif('')));
  expect((await send()).blocks[0]).toEqual(untitled);
  api.answer = (_req, res) => res.end(giphyAnswer(gif('&'.repeat(3_000))));
  const long = (await send()).blocks[0] as ImageBlock & { title: { text: string } };
  for (const text of [long.alt_text, long.title.text]) expect(text).toMatch(/^(&amp;){400}$/);
});

test('attachments match the platform’s types', async () => {
  const { handler } = build({ IMAGE_API_URL: api.url });
  api.answer = (_req, res) => res.end(giphyAnswer({ ...gif('A cat'), alt_text: 'a cat that sleeps' }));
  const message = JSON.parse((await handler(signedEvent(command('cat')))).body) as { attachments: unknown[] };
  const attachment: MessageAttachment = {
    text: 'A cat',
    image_url: 'https://media0.giphy.com/media/cat/giphy-downsized.gif',
    fallback: 'a cat that sleeps',
    footer: 'Powered By GIPHY',
  };
  expect(message.attachments).toEqual([attachment]);
});
