/** The build context of a container engine: a folder's files except those excluded by its .dockerignore. */
import { copyFileSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { ensureDirSync } from 'fs-extra';

/** Files that developers may have in the repository and that must not be in the build context. */
export const DECOYS = [
  ...[
    '.env',
    '.env.production',
    '.npmrc',
    '.millrace/data/log',
    '.git/config',
    '.cache/x',
    '.ssh/config',
    '.idea/a.xml',
  ],
  ...['.vscode/settings.json', 'server.key', 'ca.pem', 'client.p12', 'keystore.jks', 'notes.txt', 'secrets/password'],
  ...['id_ed25519', 'credentials.json', 'node_modules/x/index.js', 'dist/main.js', 'npm-debug.log'],
  ...[
    'src/.env.local',
    'src/rest/server.key',
    'src/.npmrc',
    'packages/embedded/tls/cert.pem',
    'connectors/postgres/.pgpass',
  ],
  ...['connectors/analytics/app-credentials.json', 'connectors/file/trust.truststore', 'connectors/postgres/ca.crt'],
  ...['apps/users/.env', 'apps/users/redis.pfx', 'apps/users/id_rsa', 'apps/users/.aws/credentials'],
  ...['apps/slash-image/.npmrc', 'apps/slash-image/key.jceks', 'apps/slash-image/local.env', 'apps/users/.DS_Store'],
];

/** Whether a path, relative and with slashes, is excluded. The last line that matches it or a parent folder wins. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: toRegExp(line.replace(/^!/, '')), ignored: !line.startsWith('!') }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.ignored ?? false;
}

/** `*` and `?` match within a name, `**` any number of folders. Everything inside a matching folder matches too. */
function toRegExp(line: string): RegExp {
  const names = line.replace(/^\/|\/$/g, '').split('/');
  const texts = names.map((name) =>
    name === '**'
      ? '(?:[^/]+/)*'
      : `${name
          .replace(/[.+^$(){}|[\]\\]/g, '\\$&')
          .replace(/\*+/g, '[^/]*')
          .replaceAll('?', '[^/]')}/`,
  );
  return new RegExp(`^${texts.join('').replace(/\/$/, '')}(?:/|$)`);
}

/** Copies the build context of `from`, symbolic links as links, and returns its paths. */
export function copyBuildContext(from: string, to: string): string[] {
  const isIgnored = ignoredBy(readFileSync(join(from, '.dockerignore'), 'utf8'));
  const paths = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ entry, path: relativePath(from, join(entry.parentPath, entry.name)) }))
    .filter(({ path }) => !isIgnored(path));
  for (const { entry, path } of paths) {
    const target = join(to, path);
    ensureDirSync(dirname(target));
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(join(from, path)), target);
    else copyFileSync(join(from, path), target);
  }
  return paths.map(({ path }) => path);
}

const relativePath = (from: string, file: string): string => file.slice(from.length + 1).replaceAll(sep, '/');
