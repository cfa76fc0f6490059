/** `npm run demo:slash`: calls the slash command's function, through its HTTP adapter, as the chat platform does. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '../../apps/slash-image/src/function/signature';
import { freePort } from '../services/free-port';
import { startImageApi } from '../services/image-api';
import { KeptProcess } from '../services/kept-process';
import { ROOT } from '../services/paths';
import { waitFor } from '../services/wait-for';
import { cleanUp, runDemo, say } from './run-demo';

const SECRET = 'demo-signing-secret';

/** A slash command as a form body, and the platform's signature headers. */
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
  say(`The image API mock listens at ${api.url}, the function at ${url}`);

  async function call(title: string, expected: number, init: RequestInit): Promise<void> {
    const response = await fetch(url, init);
    const body = await response.text();
    say(`\n${title}\n  ${init.method ?? 'GET'} ${url}${init.body ? `\n  ${String(init.body)}` : ''}`);
    say(`  → ${response.status} ${response.headers.get('content-type')}\n    ${body}`);
    if (response.status !== expected) throw new Error(`expected ${expected}`);
  }

  await call('Without a signature:', 401, {});
  const { body, headers } = command('cat');
  await call('/awsome cat, signed:', 200, { method: 'POST', body, headers });
  await call('The same signature with another body:', 401, { method: 'POST', body: `${body}s`, headers });
  await call('/awsome without a term:', 200, { method: 'POST', ...command('') });
  api.answer = (_req, res) => void res.writeHead(429).end('{}');
  await call('The image API limits the rate:', 200, { method: 'POST', ...command('dog') });
  api.answer = (_req, res) => void res.destroy();
  await call('The image API closes the connection:', 200, { method: 'POST', ...command('dog') });
  api.answer = usual;
  await call('A term with special characters:', 200, { method: 'POST', ...command('café & <crème> 😀') });
  say(`\nRequests that the image API received:\n${api.asked.map((query) => `  ${query.get('tag')}`).join('\n')}`);
  say(`\nThe function's log:\n${adapter.log().trim().replace(/^/gm, '  ')}`);
}

runDemo(demo);
