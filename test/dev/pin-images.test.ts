/** Update of the digests of base images, with a local registry that requires a token as public ones do. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { imageDigest } from '../../dev/images/image-digest';
import { COMPOSE_FILES, CONTAINER_FILES, imagesIn, withDigests } from '../../dev/images/pinned-images';
import { ROOT } from '../../dev/services/paths';

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const manifests: Record<string, string> = {};
let lie: string | null = null;
const asked: string[] = [];
let server: Server;
let registry: string;
let folder: string;

beforeAll(async () => {
  server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', registry);
    asked.push(`${url.pathname} ${url.searchParams.get('scope') ?? ''}`.trim());
    if (url.pathname === '/token') return void res.end(JSON.stringify({ token: url.searchParams.get('scope') }));
    const [, repository, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url.pathname) as unknown as string[];
    if (req.headers.authorization !== `Bearer repository:${repository}:pull`) {
      res.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${registry}/token",service="test"` });
      return void res.end();
    }
    const manifest = manifests[`${repository}:${tag}`];
    if (manifest === undefined) return void res.writeHead(404).end();
    res.setHeader('Docker-Content-Digest', lie ?? digestOf(manifest)).end(manifest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-pins-'));
  asked.length = 0;
  lie = null;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function pin(...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, PIN_IMAGES_FOLDER: folder };
  const command = ['-r', './dev/register.js', 'dev/images/pin.ts', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

test('every file is updated to the current digests of its tags, and a check reports them first', async () => {
  const files = [...CONTAINER_FILES, ...COMPOSE_FILES];
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  for (const [i, file] of files.entries()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), texts[i] as string);
  }
  const images = [...new Set(texts.flatMap((text) => imagesIn(text).map(({ image }) => image)))];
  expect(images.length).toBeGreaterThanOrEqual(4);
  for (const image of images) manifests[image.includes('/') ? image : `library/${image}`] = `manifest of ${image}`;

  const check = await pin(registry, '--check');
  expect(check).toMatchObject({ code: 1, output: expect.stringContaining('out of date: Dockerfile') });
  expect(files.map((file) => readFileSync(join(folder, file), 'utf8'))).toEqual(texts);

  expect(await pin(registry)).toMatchObject({ code: 0 });
  const found = files.flatMap((file) => imagesIn(readFileSync(join(folder, file), 'utf8')));
  expect(found).toHaveLength(texts.flatMap(imagesIn).length);
  for (const { image, digest } of found) expect(digest).toBe(digestOf(`manifest of ${image}`));
  expect(await pin(registry, '--check')).toMatchObject({ code: 0 });
});

test('an image without a slash belongs to the library, and a token is for that image only', async () => {
  manifests['library/node:24-slim'] = '{}';
  expect(await imageDigest(registry, 'node:24-slim')).toBe(digestOf('{}'));
  const path = '/v2/library/node/manifests/24-slim';
  expect(asked).toEqual([path, '/token repository:library/node:pull', path]);
});

test('a manifest that does not match its digest is rejected, and so is a missing image', async () => {
  manifests['a/b:1'] = 'changed';
  lie = digestOf('original');
  await expect(imageDigest(registry, 'a/b:1')).rejects.toThrow('something changed it on its way');
  await expect(imageDigest(registry, 'a/b:2')).rejects.toThrow('answers 404: is there an image a/b:2?');
});

test('without a registry it reports what is missing and changes nothing', async () => {
  expect(await pin()).toEqual({ code: 2, output: expect.stringContaining('Name the registry') });
});

test('an image without a digest gets one, and one that was not requested keeps its own', () => {
  const a = `sha256:${'a'.repeat(64)}`;
  const text = `FROM node:24-slim AS build\nFROM redis:7@${a}\n    image: x/y:1 # why\n# FROM z:1\n`;
  expect(imagesIn(text).map(({ image, digest }) => [image, digest])).toEqual([
    ['node:24-slim', undefined],
    ['redis:7', a],
    ['x/y:1', undefined],
  ]);
  expect(withDigests(text, new Map([['node:24-slim', a]]))).toBe(text.replace('24-slim', `24-slim@${a}`));
});
