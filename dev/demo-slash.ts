/** `npm run demo:slash`: the slash command's function behind its adapter, called as the chat platform would call it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '../apps/slash-image/src/function/signature';
import { freePort } from './services/free-port';
import { startImageApi } from './services/image-api';
import { KeptProcess } from './services/kept-process';
import { ROOT } from './services/paths';
import { waitFor } from './services/wait-for';

const SECRET = 'demo-signing-secret';
const cleanUp: (() => Promise<unknown>)[] = [];
const say = (text = ''): void => console.log(text);

/** A slash command as a form, and the headers that the platform signs it with. */
function command(text: string): { body: string; headers: Record<string, string> } {
  const body = new URLSearchParams({ user_id: 'U1', user_name: 'you', command: '/awsome', text }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    body,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Slack-Request-Timestamp': timestamp,
      'X-Slack-Signature': sign(SECRET, timestamp, Buffer.from(body)),
    },
  };
}

async function demo(): Promise<void> {
  const api = await startImageApi();
  cleanUp.push(api.close);
  const usual = api.answer;
  const port = await freePort();
  const adapter = new KeptProcess({
    command: process.execPath,
    args: [join(ROOT, 'apps', 'slash-image', 'dist', 'adapter', 'main.js')],
    folder: mkdtempSync(join(tmpdir(), 'millrace-slash-')),
    signal: 'TERM',
    env: { PORT: String(port), CHAT_SIGNING_SECRET: SECRET, IMAGE_API_KEY: 'demo-key', IMAGE_API_URL: api.url },
  });
  cleanUp.push(() => adapter.stop());
  await waitFor('the adapter to listen', () => adapter.log().includes('"listening"'), { detail: () => adapter.log() });
  const url = `http://127.0.0.1:${port}/`;
  say(`The image API's stand-in is at ${api.url}, the function at ${url}`);

  async function call(title: string, expected: number, init: RequestInit): Promise<void> {
    const response = await fetch(url, init);
    const body = await response.text();
    say(`\n${title}\n  ${init.method ?? 'GET'} ${url}${init.body ? `\n  ${String(init.body)}` : ''}`);
    say(`  → ${response.status} ${response.headers.get('content-type')}\n    ${body}`);
    if (response.status !== expected) throw new Error(`expected ${expected}`);
  }

  await call('Nobody signed this:', 401, {});
  const { body, headers } = command('cat');
  await call('/awsome cat, signed:', 200, { method: 'POST', body, headers });
  await call('The same signature over another text:', 401, { method: 'POST', body: `${body}s`, headers });
  await call('/awsome alone:', 200, { method: 'POST', ...command('') });
  api.answer = (_req, res) => void res.writeHead(429).end('{}');
  await call('The image API has had enough:', 200, { method: 'POST', ...command('dog') });
  api.answer = (_req, res) => void res.destroy();
  await call('The image API hangs up:', 200, { method: 'POST', ...command('dog') });
  api.answer = usual;
  await call('A term with everything:', 200, { method: 'POST', ...command('café & <crème> 😀') });
  say(`\nWhat the image API was asked:\n${api.asked.map((query) => `  ${query.get('tag')}`).join('\n')}`);
  say(`\nThe function's log:\n${adapter.log().trim().replace(/^/gm, '  ')}`);
}

demo()
  .catch((error: Error) => {
    process.exitCode = 1;
    console.error(`\nThe demo failed: ${error.message}`);
  })
  .finally(async () => {
    for (const stop of cleanUp.reverse()) await stop().catch((error: Error) => console.error(error.message));
  });
