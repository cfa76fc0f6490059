import { isRunByNpm } from '../../src/cli/npm-launch';

const program = '/app/node_modules/.bin/millrace';

test.each([`'millrace'`, 'millrace start worker.properties', 'millrace dev >log 2>&1'])(
  'npm runs this program in the foreground: %s',
  (script) => {
    expect(isRunByNpm({ npm_lifecycle_event: 'npx', npm_lifecycle_script: script }, program)).toBe(true);
  },
);

test.each([
  'millrace start &',
  'nohup millrace start',
  'setsid millrace start',
  'sh -c "$(cat millrace)"',
  'echo a; millrace start',
  'npm run build && millrace start',
  'node other.js',
])('a program of its own, or one of several: %s', (script) => {
  expect(isRunByNpm({ npm_lifecycle_event: 'start', npm_lifecycle_script: script }, program)).toBe(false);
});

test('without npm, there is nothing to watch', () => {
  expect(isRunByNpm({}, program)).toBe(false);
  expect(isRunByNpm({ npm_lifecycle_script: 'millrace' }, program)).toBe(false);
  expect(isRunByNpm({ npm_lifecycle_event: 'npx', npm_lifecycle_script: 'millrace' }, '')).toBe(false);
});
