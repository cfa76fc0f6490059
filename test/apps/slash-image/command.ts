/** Slash commands as the chat platform sends them, and events as a function URL passes them. */
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { createFunction } from '../../../apps/slash-image/src/function/create';
import type { Handler } from '../../../apps/slash-image/src/function/handler';
import { createHandler } from '../../../apps/slash-image/src/function/handler';
import { createGiphy } from '../../../apps/slash-image/src/function/image/giphy';
import type { ImageSource } from '../../../apps/slash-image/src/function/image/image';
import { createLog } from '../../../apps/slash-image/src/function/log';
import { readSettings } from '../../../apps/slash-image/src/function/settings';
import { sign } from '../../../apps/slash-image/src/function/signature';

export const SECRET = 'test-signing-secret';
export const KEY = 'test-image-key';
/** Published and computed test vectors: secret, timestamp, body, signature. */
export const VECTORS: readonly [string, string, string, string][] = [
  [
    '8f742231b10e8888abcd99yyyzzz85a5',
    '1531420618',
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  ],
  [
    SECRET,
    '1700000000',
    'command=%2Fawsome&text=cat&user_id=U1',
    'v0=bd48b2ff857639a202d8fbd5d5a189be0450866741a3a030a317686c45f11152',
  ],
  [
    SECRET,
    '1700000000',
    'command=%2Fawsome&text=caf%C3%A9+%26+cr%C3%A8me',
    'v0=458cc18385905a01be1cf5aca7edda22e34d15e3265ba332073fa0b20c081016',
  ],
  [
    SECRET,
    '1700000000',
    'command=%2Fawsome&text=café',
    'v0=32998874db689179b6f3f9ffa9def73b0df4b71aefdcdae66c76248f0e09f3a4',
  ],
];

export function signedHeaders(body: string | Buffer, secret = SECRET, nowMs = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': sign(secret, timestamp, Buffer.from(body)),
  };
}

/** An unsigned event. Its body is in base64, as for every form. */
export function eventOf(body: string | Buffer, changes: Partial<LambdaFunctionURLEvent> = {}): LambdaFunctionURLEvent {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: {},
    requestContext: { requestId: 'r', http: { method: 'POST' } } as LambdaFunctionURLEvent['requestContext'],
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
    ...changes,
  };
}

export function signedEvent(
  body: string | Buffer,
  changes: Partial<LambdaFunctionURLEvent> = {},
): LambdaFunctionURLEvent {
  return eventOf(body, { headers: signedHeaders(body), ...changes });
}

/** The body of a command with this text. */
export function command(text: string): string {
  const fields = { token: 't', user_id: 'U1', user_name: 'roadrunner', command: '/awsome', text };
  return new URLSearchParams(fields).toString();
}

/**
 * Default timeout for the image API in tests. The function's own 2 s can be shorter than a pause of a busy machine.
 */
const PATIENT_MS = 60_000;

export interface Built {
  readonly handler: Handler;
  readonly log: string[];
}

/** Creates the function with a recorded log, and optionally with a clock and an image source. */
export function build(
  env: Record<string, string>,
  parts: { now?: () => number; images?: ImageSource; level?: 'debug' | 'info' } = {},
): Built {
  const { settings } = readSettings({ CHAT_SIGNING_SECRET: SECRET, IMAGE_API_KEY: KEY, ...env });
  const lines: string[] = [];
  const log = createLog(parts.level ?? 'info', (line) => lines.push(line));
  const images = parts.images ?? (settings.imageApiKey === null ? null : giphy(settings.imageApiKey));
  function giphy(key: string): ImageSource {
    if (env['UPSTREAM_TIMEOUT_MS'] !== undefined) return createGiphy(settings, key, log);
    const patient = createGiphy({ ...settings, upstreamTimeoutMs: PATIENT_MS }, key, log);
    return { random: (term) => patient.random(term, PATIENT_MS) };
  }
  const now = parts.now ? { now: parts.now } : {};
  return { handler: createHandler({ settings, images, log, ...now }), log: lines };
}

export { createFunction };
