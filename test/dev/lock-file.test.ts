/** `npm ci` refuses a lock file that lacks even one optional package of another platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingEntries } from '../../dev/complete-lock-file';

test('the lock file knows the platform packages of every platform', () => {
  const lock = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package-lock.json'), 'utf8'));
  // Otherwise: node dev/complete-lock-file.js
  expect(Object.keys(missingEntries(lock))).toEqual([]);
});

test('an absent platform package is entered with its parent’s version and its platform', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': {
        dev: true,
        optionalDependencies: { '@a/b-linux-x64-gnu': '1.2.3', '@a/b-darwin-arm64': '1.2.3' },
      },
      'node_modules/@a/b-linux-x64-gnu': {},
    },
  };
  expect(missingEntries(lock)).toEqual({
    'node_modules/@a/b-darwin-arm64': { version: '1.2.3', cpu: ['arm64'], dev: true, optional: true, os: ['darwin'] },
  });
});
