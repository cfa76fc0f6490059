/**
 * Which native packages npm installs on the platforms of docs/installation.md, and a worker whose binaries are another
 * platform's. No other platform is run.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';
import { packPackages } from '../../../dev/packages/pack-packages';
import { ROOT } from '../../../dev/services/paths';
import { nativePackagesTable, type Platform } from '../../helpers/native-packages-table';
import { execute, Installation } from './installation';
import { movesLines } from './moves-lines';

const installation = new Installation();
afterAll(async () => await installation.remove());

const npmOptions = ({ os, cpu, libc }: Platform) => [`--os=${os}`, `--cpu=${cpu}`, ...(libc ? [`--libc=${libc}`] : [])];
/** The packages with binaries, by the package that loads them. */
const SCOPES: Readonly<Record<string, RegExp>> = {
  '@node-rs/crc32': /@node-rs\/crc32-[\w-]+/,
  'lz4-napi': /@antoniomuso\/lz4-napi-[\w-]+/,
  '@toondepauw/node-zstd': /@toondepauw\/node-zstd-[\w-]+/,
};

test('npm chooses the binaries that the table lists, for each of its platforms', async () => {
  const { packages, platforms } = nativePackagesTable();
  const file = join(ROOT, 'packages', 'record-codecs', 'package.json');
  const manifest = readJsonSync(file) as Record<string, Record<string, string>>;
  const versions = { ...manifest.devDependencies, ...manifest.optionalDependencies };
  const wanted = packages.map((name) => `${name}@${versions[name]}`);
  for (const platform of platforms) {
    const folder = join(installation.place, Object.values(npmOptions(platform)).join(''));
    mkdirSync(folder);
    const options = ['--dry-run', '--prefer-offline', '--no-audit', '--no-fund', ...npmOptions(platform)];
    const { stdout } = await execute('npm', ['install', ...options, ...wanted], folder);
    const chosen = packages.filter((name) => SCOPES[name]!.test(stdout));
    expect({ ...platform, packages: chosen }).toEqual(platform);
    for (const name of chosen) {
      const binary = SCOPES[name]!.exec(stdout)![0];
      expect(binary).toContain(`-${platform.os}-${platform.cpu}`);
      if (platform.libc) expect(binary).toMatch(platform.libc === 'musl' ? /-musl$/ : /-gnu$/);
    }
  }
});

test('with the binaries of another platform, the worker uses JavaScript and moves records', async () => {
  const { folder, place } = installation;
  const other = process.platform === 'darwin' ? 'linux' : 'darwin';
  mkdirSync(folder);
  const tarballs = await packPackages(join(place, 'tarballs'));
  await installation.install(folder, [...npmOptions({ os: other, cpu: 'arm64', libc: undefined }), ...tarballs]);
  expect(readdirSync(join(folder, 'node_modules', '@node-rs'))).toEqual(['crc32', expect.stringContaining(other)]);
  expect(readdirSync(join(folder, 'node_modules', '@antoniomuso'))).toEqual([expect.stringContaining(other)]);
  for (const name of ['@node-rs/crc32', 'lz4-napi'])
    await expect(execute('node', ['-e', `require('${name}')`], folder)).rejects.toThrow(
      /native binding|Cannot find module/,
    );

  const log = await movesLines(installation, { compression: 'lz4', variables: { MILLRACE_LOG_LEVEL: 'debug' } });
  expect(log).toMatch(/@node-rs\/crc32 cannot be loaded .*JavaScript/);
});
