/**
 * A worker whose listener is on the network accepts requests of any web page until `rest.allowed.hosts` is set, so each
 * file that users start a worker with sets it. The chart is in test/integration/deploy/chart.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { isLoopbackName } from '../../src/config/allowed-hosts';
import { withEnvironment } from '../../src/config/environment';
import { parseProperties } from '../../packages/texts/src/properties';
import { parseWorkerConfig } from '../../src/config/worker-config';

const ROOT = join(__dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const NOT_SHIPPED = ['node_modules', 'dist', 'test', 'src', 'contracts', 'decisions', 'helm'];
const TEXTS = /\.(md|properties|env|ya?ml|json|service|sh|conf)$|(^|\/)Dockerfile$/;

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_SHIPPED.includes(entry.name) ? [] : filesIn(path);
    return TEXTS.test(path) ? [path] : [];
  });
}
const ofRoot = readdirSync(ROOT).filter((name) => TEXTS.test(name) && !/^(CHANGELOG\.md|ts.*|package.*)$/.test(name));
const files = [
  ...ofRoot,
  ...['apps', 'connectors', 'deploy', 'docs', 'examples', 'packages'].flatMap((folder) => filesIn(folder)),
];

/** What one reader copies: a block or a span of code of a page, otherwise the file. */
function samplesIn(file: string, text: string): string[] {
  if (!file.endsWith('.md')) return [text];
  const blocks = [...text.matchAll(/^( *)```.*\n([^]*?)^\1```$/gm)].map(([, , block = '']) => block);
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans];
}

const LISTENERS = /\b(?:admin\.)?listeners["']?\s*[=:]\s*["']?((?:https?:\/\/[^\s"',]*,?)+)/gi;
const withoutDots = (text: string): string => text.replace(/\b(?:CONNECT_)((?:\w+_)*LISTENERS)\b/g, 'listeners');
const HOSTS = /^[^#\n]*(?:rest\.allowed\.hosts|CONNECT_REST_ALLOWED_HOSTS)["']?\s*[=:]\s*["']?[^\s"'*]/m;

function opensNetworkListener(sample: string): boolean {
  const listeners = [...withoutDots(sample).matchAll(LISTENERS)].flatMap(([, list = '']) => list.split(','));
  const isWorkerFile = /^group\.id\s*=/m.test(sample) && /^config\.storage\.topic\s*=/m.test(sample);
  // The default is a listener on all interfaces.
  if (listeners.length === 0) return isWorkerFile;
  return listeners
    .filter((listener) => listener !== '')
    .some((listener) => {
      const [, host = ''] = /^https?:\/\/\[?(.*?)\]?(?::[^:\]]*)?\/?$/.exec(listener) ?? [];
      return !isLoopbackName(host);
    });
}
const isOpen = (sample: string): boolean => opensNetworkListener(sample) && !HOSTS.test(sample);

test('no file that users start a worker with has a network listener without allowed hosts', () => {
  expect(files.length).toBeGreaterThan(40);
  const network = files.filter((file) => samplesIn(file, read(file)).some(opensNetworkListener));
  expect(network).toEqual(expect.arrayContaining(['worker.properties', 'README.md', 'docs/operations.md']));
  const open = files.flatMap((file) =>
    samplesIn(file, read(file))
      .filter(isOpen)
      .map((sample) => `${relative('.', file)}: ${sample.slice(0, 200)}`),
  );
  expect(open).toEqual([]);
});

test.each([
  ['listeners=http://0.0.0.0:8083', true],
  ['listeners=http://:8083\n#rest.allowed.hosts=localhost', true],
  ['listeners=http://:8083\nrest.allowed.hosts=*', true],
  ['listeners=http://:8083\nrest.allowed.hosts=localhost', false],
  ['listeners=http://127.0.0.1:8083,https://[::]:8443', true],
  ['admin.listeners=http://10.0.0.1:1', true],
  ['listeners=http://127.0.0.1:8083,https://[::1]:8443', false],
  ['docker run -e CONNECT_LISTENERS=http://0.0.0.0:8083 millrace dev', true],
  ['docker run -e CONNECT_LISTENERS=http://0.0.0.0:8083 -e CONNECT_REST_ALLOWED_HOSTS=localhost millrace dev', false],
  ['  CONNECT_LISTENERS: "http://:8083"', true],
  ['group.id=g\nconfig.storage.topic=c', true],
  ['group.id=g', false],
])('it detects %j: %p', (sample, expected) => {
  expect(isOpen(sample)).toBe(expected);
});

test('the users app of apps/users/compose.yaml knows its names', () => {
  expect(parse(read('apps/users/compose.yaml')).services.users.environment.ALLOWED_HOSTS).toBe('localhost');
});

test.each([
  ['the image', {}, ['localhost']],
  ['compose.yaml', parse(read('compose.yaml')).services.worker.environment, ['localhost', 'worker']],
])('the worker of %s knows its names', (_what, environment: Record<string, string>, names) => {
  const { allowedHosts } = parseWorkerConfig(withEnvironment(parseProperties(read('worker.properties')), environment));
  expect(allowedHosts).toMatchObject({ isSet: true, isOff: false });
  expect(names.filter((name) => !allowedHosts.allows(name))).toEqual([]);
  expect(allowedHosts.allows('attacker.example')).toBe(false);
});
