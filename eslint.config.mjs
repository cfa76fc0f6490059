import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Node's timers fire after 1 ms if the delay exceeds 2^31 - 1 ms, which settings and their sums may. */
const timersOfNode = (instead) => ({
  'no-restricted-globals': [
    'error',
    { name: 'setTimeout', message: `Use startTimer of ${instead}.` },
    { name: 'setInterval', message: `Use startInterval or startTimer of ${instead}.` },
  ],
  'no-restricted-properties': [
    'error',
    ...['globalThis', 'global'].flatMap((object) =>
      ['setTimeout', 'setInterval'].map((property) => ({ object, property })),
    ),
    { object: 'AbortSignal', property: 'timeout', message: `Use a timer of ${instead}.` },
  ],
  'no-restricted-imports': [
    'error',
    ...['node:timers', 'timers', 'node:timers/promises', 'timers/promises'].map((name) => ({
      name,
      importNames: ['setTimeout', 'setInterval'],
      message: `Use a timer of ${instead}.`,
    })),
  ],
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.cache/**', 'coverage/**', 'reports/**', '**/fixtures/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: { globals: { ...globals.node } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'max-lines': ['error', 450],
      // Prettier wraps code at 120 columns, but not comments.
      'max-len': ['error', { code: 1000, comments: 120, ignoreUrls: true }],
    },
  },
  { files: ['**/*.js'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  // The matched text may be as long as a record, a document or a response.
  {
    files: ['src/**', 'connectors/**', 'packages/**', 'apps/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  // Programs in apps/ bound their delays far below a timer's maximum.
  {
    files: ['src/**', 'packages/{cli,kafka-client,sdk,texts}/src/**', 'connectors/*/src/**'],
    ignores: ['packages/sdk/src/timing/timers.ts'],
    rules: timersOfNode('@millrace/sdk'),
  },
  {
    files: ['packages/embedded/src/**'],
    ignores: ['packages/embedded/src/clock.ts'],
    rules: timersOfNode('packages/embedded/src/clock.ts'),
  },
  // A command's code is required when it runs, so that the others start without it.
  {
    files: ['src/cli/commands.ts', 'src/cli/verbs/**', 'packages/cli/src/{*.ts,verbs/**}'],
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    },
  },
  { files: ['packages/console/**'], languageOptions: { globals: { ...globals.browser } } },
  { files: ['test/**'], languageOptions: { globals: { ...globals.jest } }, rules: { 'max-lines': 'off' } },
);
