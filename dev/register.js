/**
 * Lets Node run this repository's TypeScript without a build: `node -r ./dev/register.js dev/demo.ts`. For the programs
 * of dev/ and bench/ only; the worker itself runs from dist/. Types are checked by `npm run lint`.
 */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs', ignoreDynamic: true },
  });
  module._compile(code, filename);
};
