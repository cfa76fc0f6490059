/**
 * Runs this repository's TypeScript in Node without a build: `node -r ./dev/register.js
 * dev/demos/change-capture.ts`. Only for programs in dev/ and bench/: the worker runs from dist/. `npm run lint`
 * checks types.
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
