/**
 * Bundles the console into dist/ui: `index.html`, a stylesheet, a script, and the scripts of pages that are loaded
 * when they are opened. Names contain the hashes of the files, so that browsers may keep them for ever. Part of
 * `npm run build`, which may run while workers read the folder: files are complete when they get their names, what is
 * unchanged stays, and what the page no longer names is removed last.
 */
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { buildSync } = require('esbuild');

const SOURCE = __dirname;
const TARGET = join(SOURCE, '../dist/ui');

const { metafile, outputFiles } = buildSync({
  entryPoints: { console: join(SOURCE, 'main.tsx'), style: join(SOURCE, 'style.css') },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: TARGET,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  metafile: true,
  target: ['chrome109', 'firefox115', 'safari16.4'],
  tsconfig: join(SOURCE, '../tsconfig.json'),
  logLevel: 'warning',
});
const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) =>
  /main\.tsx$|style\.css$/.test(entryPoint),
);
const names = entries.map(([path]) => basename(path));
const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  .replace(
    'main.tsx',
    names.find((name) => name.endsWith('.js')),
  )
  .replace(
    'style.css',
    names.find((name) => name.endsWith('.css')),
  );
const files = new Map([
  ...outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]),
  // Libraries that are part of the scripts: their licenses ask to be, too.
  ...['preact', 'uplot'].map((name) => [
    `LICENSE.${name}`,
    readFileSync(join(require.resolve(`${name}/package.json`), '../LICENSE')),
  ]),
  ['index.html', Buffer.from(page)],
]);

mkdirSync(TARGET, { recursive: true });
for (const [name, contents] of files) write(join(TARGET, name), contents);
for (const name of readdirSync(TARGET)) {
  // Others may be those of a build that runs at the same time.
  if (!files.has(name) && !name.endsWith('.tmp')) rmSync(join(TARGET, name), { recursive: true, force: true });
}

function write(path, contents) {
  if (contents.equals(read(path))) return;
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Empty: there is none. */
function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
