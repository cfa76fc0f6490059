/** The commands sign, invoke and bundle, and the deployment template. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isValidSlackRequest } from '@slack/bolt';
import { unzipSync } from 'fflate';
import { ROOT } from '../../../../dev/services/paths';
import { startImageApi, type ImageApi } from '../../../../dev/services/image-api';
import { SECRET, VECTORS } from '../command';

const APP = join(ROOT, 'apps', 'slash-image');
const EVENT = join(APP, 'examples', 'event.json');
const run = promisify(execFile);

let folder: string;
let api: ImageApi;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-slash-'));
  api = await startImageApi();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

async function cli(name: string, args: string[], env: Record<string, string> = {}) {
  const program = ['-r', join(ROOT, 'dev', 'register.js'), join(APP, 'src', name), ...args];
  return await run(process.execPath, program, { env: { PATH: process.env['PATH'], ...env }, cwd: folder });
}

test('slash-webhook 38: `sign` prints the published signature, which the platform’s library accepts', async () => {
  const [secret, timestamp, body, signature] = VECTORS[0] as [string, string, string, string];
  const args = ['--timestamp', timestamp, '--body', body];
  const { stdout } = await cli('cli/sign.ts', args, { CHAT_SIGNING_SECRET: secret });
  expect(stdout).toBe(`x-slack-request-timestamp: ${timestamp}\nx-slack-signature: ${signature}\n`);

  writeFileSync(join(folder, 'body.txt'), 'text=café');
  const now = await cli('cli/sign.ts', ['body.txt'], { CHAT_SIGNING_SECRET: SECRET });
  const headers = Object.fromEntries(
    now.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  );
  expect(
    isValidSlackRequest({
      signingSecret: SECRET,
      body: 'text=café',
      headers: {
        'x-slack-signature': headers['x-slack-signature'],
        'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
      },
    }),
  ).toBe(true);
});

test('`sign` and `invoke` report missing arguments', async () => {
  await expect(cli('cli/sign.ts', ['--body', 'x'])).rejects.toMatchObject({
    code: 2,
    stderr: 'CHAT_SIGNING_SECRET is not set\n',
  });
  await expect(cli('cli/sign.ts', [], { CHAT_SIGNING_SECRET: 'x' })).rejects.toMatchObject({ code: 2 });
  await expect(cli('cli/invoke.ts', [])).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage:/) });
  await expect(cli('cli/invoke.ts', ['absent.json'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/ENOENT/),
  });
});

test.each([
  ['{"headers":', /^bad-event\.json is not JSON: .*\n$/],
  ['null', /^bad-event\.json does not contain an event: .*\n$/],
  ['[]', /^bad-event\.json does not contain an event: .*\n$/],
])('`invoke` on a file with %s reports the file name', async (content, message) => {
  writeFileSync(join(folder, 'bad-event.json'), content);
  await expect(cli('cli/invoke.ts', ['bad-event.json'])).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
});

test.each(['cli/sign.ts', 'cli/invoke.ts', 'adapter/main.ts'])('%s --help prints the usage', async (name) => {
  for (const option of ['--help', '-h']) {
    const { stdout, stderr } = await cli(name, [option]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^usage: .*\n/), '']);
  }
});

test('slash-webhook 39: `invoke` answers a stored event', async () => {
  const env = { CHAT_SIGNING_SECRET: SECRET, IMAGE_API_KEY: 'k', IMAGE_API_URL: api.url };
  const { stdout, stderr } = await cli('cli/invoke.ts', ['--at', '1700000100', EVENT], env);
  const response = JSON.parse(stdout) as { body: string };
  expect(response).toEqual({
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: expect.any(String),
  });
  expect(JSON.parse(response.body)).toEqual({
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
  expect(JSON.parse(stderr)).toMatchObject({
    msg: 'answered',
    outcome: 'image',
    requestId: expect.stringMatching(/^0b8f0f62/),
  });
  // Without --at, the stored event is too old.
  const late = await cli('cli/invoke.ts', [EVENT], env);
  expect(JSON.parse(late.stdout)).toMatchObject({ statusCode: 401 });
});

test('the adapter does not start without its settings, unless an option allows it', async () => {
  await expect(cli('adapter/main.ts', [])).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/CHAT_SIGNING_SECRET is not set[^]*IMAGE_API_KEY is not set/),
  });
  await expect(cli('adapter/main.ts', ['--nonsense'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/usage:/),
  });
});

describe('the bundle', () => {
  let zip: Buffer;
  beforeAll(async () => {
    const out = join(folder, 'dist');
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const flags = ['--outDir', out, '--composite', 'false', '--incremental', 'false', '--declaration', 'false'];
    await run(process.execPath, [tsc, '-p', APP, ...flags]);
    const bundle = async () => {
      await run(process.execPath, [join(out, 'cli', 'bundle.js')], { env: { NODE_PATH: join(ROOT, 'node_modules') } });
      return readFileSync(join(out, 'slash-image.zip'));
    };
    zip = await bundle();
    expect((await bundle()).equals(zip)).toBe(true);
  });

  test('is small, and loads alone the way a host loads it', async () => {
    expect(zip.length).toBeLessThan(20_000);
    const place = join(folder, 'unzipped');
    for (const [name, content] of Object.entries(unzipSync(zip))) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), content);
    }
    const program = `require('./index').handler(JSON.parse(require('node:fs').readFileSync(${JSON.stringify(EVENT)}, 'utf8')))
      .then((response) => console.log('RESULT ' + JSON.stringify(response)))`;
    const env = {
      CHAT_SIGNING_SECRET: SECRET,
      IMAGE_API_KEY: 'k',
      IMAGE_API_URL: api.url,
      SIGNATURE_MAX_AGE_S: '3600',
    };
    const { stdout } = await run(process.execPath, ['-e', program], { cwd: place, env });
    expect(stdout).toContain('RESULT {"statusCode":401');
    const bare = await run(process.execPath, ['-e', program], { cwd: place, env: {} });
    expect(bare.stdout).toContain('CHAT_SIGNING_SECRET is not set');
    expect(bare.stdout).toContain('RESULT {"statusCode":401');
  });
});

test('the template creates the function, its URL and both permissions that a public URL needs', () => {
  const template = JSON.parse(readFileSync(join(APP, 'template.json'), 'utf8')) as {
    Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
    Parameters: Record<string, { NoEcho?: boolean }>;
  };
  const of = (type: string) =>
    Object.values(template.Resources)
      .filter(({ Type }) => Type === `AWS::Lambda::${type}`)
      .map(({ Properties }) => Properties);
  expect(of('Function')[0]).toMatchObject({ Handler: 'index.handler', Timeout: 3 });
  const variables = (of('Function')[0]?.['Environment'] as { Variables: object }).Variables;
  expect(Object.keys(variables)).toEqual(['CHAT_SIGNING_SECRET', 'IMAGE_API_KEY']);
  expect(of('Url')[0]).toMatchObject({ AuthType: 'NONE' });
  expect(of('Permission')).toEqual([
    expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', Principal: '*', FunctionUrlAuthType: 'NONE' }),
    expect.objectContaining({ Action: 'lambda:InvokeFunction', Principal: '*', InvokedViaFunctionUrl: true }),
  ]);
  for (const secret of ['ChatSigningSecret', 'ImageApiKey']) expect(template.Parameters[secret]?.NoEcho).toBe(true);
});
