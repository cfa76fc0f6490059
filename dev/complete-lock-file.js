/**
 * Run this after `npm install` if `test/dev/lock-file.test.ts` fails. npm omits platform packages from the lock file
 * when it cannot look them up (an offline or partial registry; see also npm issue 4828), and then `npm ci` rejects the
 * file on every platform. Their versions are in the packages that depend on them, their platforms in their names.
 */
const { join } = require('node:path');
const { readJsonSync, writeJsonSync } = require('fs-extra');

const FILE = join(__dirname, '..', 'package-lock.json');
const SYSTEMS = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  windows: 'win32',
  freebsd: 'freebsd',
  android: 'android',
  openharmony: 'openharmony',
  openbsd: 'openbsd',
  netbsd: 'netbsd',
  sunos: 'sunos',
  aix: 'aix',
};
const PROCESSORS = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64'];

/** Entries missing from `lock`, by their key in `packages`. */
function missingEntries(lock) {
  const missing = {};
  for (const [place, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const places = [`${place}/node_modules/${name}`, `node_modules/${name}`];
      if (places.some((at) => lock.packages[at]) || !/^\d/.test(version)) continue;
      const words = name.split(/[^a-z0-9]+/);
      const system = words.find((word) => word in SYSTEMS);
      const processor = words.find((word) => PROCESSORS.includes(word));
      if (!system) continue;
      missing[places[1]] = {
        version,
        ...(processor ? { cpu: [processor] } : {}),
        ...(parent.dev ? { dev: true } : {}),
        optional: true,
        os: [SYSTEMS[system]],
      };
    }
  }
  return missing;
}

if (require.main === module) {
  const lock = readJsonSync(FILE);
  const added = missingEntries(lock);
  const [root, ...rest] = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries([root, ...rest]);
  writeJsonSync(FILE, lock, { spaces: 2 });
  console.log(`${Object.keys(added).length} entries added`);
}

module.exports = { missingEntries };
