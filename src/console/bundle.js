/**
 * Bundles the console into dist/console: `index.html`, a stylesheet, a script, and the scripts of pages that are loaded
 * when they are opened. Names contain the hashes of the files, so that browsers may keep them for ever. Part of
 * `npm run build`.
 */
const { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { buildSync } = require('esbuild');

const SOURCE = __dirname;
const TARGET = join(SOURCE, '../../dist/console');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const { metafile } = buildSync({
  entryPoints: { console: join(SOURCE, 'main.tsx'), style: join(SOURCE, 'style.css') },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: TARGET,
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  metafile: true,
  target: ['chrome109', 'firefox115', 'safari16.4'],
  tsconfig: join(SOURCE, 'tsconfig.json'),
  logLevel: 'warning',
});
const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) =>
  /main\.tsx$|style\.css$/.test(entryPoint),
);
const files = entries.map(([path]) => basename(path));
const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  .replace(
    'main.tsx',
    files.find((name) => name.endsWith('.js')),
  )
  .replace(
    'style.css',
    files.find((name) => name.endsWith('.css')),
  );
writeFileSync(join(TARGET, 'index.html'), page);
// Preact is part of the script, and its license asks to be, too.
copyFileSync(join(require.resolve('preact/package.json'), '../LICENSE'), join(TARGET, 'LICENSE.preact'));
