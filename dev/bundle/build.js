/**
 * Bundles the programs of a worker into dist/bundle, from the modules that the compiler wrote to dist, then keeps the
 * bytecode of a start from them (warm-up.js). Part of `npm run build`, which may run while workers start: files are
 * complete when they get their names.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join, relative, sep } = require('node:path');
const { build } = require('esbuild');
const { codeCachePath, PROGRAMS } = require('../../dist/bundle/programs');
const { lean } = require('./lean');
const { warmUp } = require('./warm-up');

const ROOT = join(__dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const TARGET = join(DIST, 'bundle');

/** Loaded on demand, and not for a start: from their packages. */
const ON_DEMAND = ['@millrace/console', '@millrace/embedded', '@millrace/*/package.json', 'pg', 'yaml'];
/** Plugins share it with the thread that runs them, so that it is a bundle of its own. */
const SDK = '@millrace/sdk';
const CONNECTORS = ['analytics', 'file', 'postgres'];
/** Of `pg`, and not installed. */
const OPTIONAL = ['pg-native'];
/** Of the command line, a bundle has the commands that run a worker. */
const COMMAND = /^\.\/verbs\/(?<name>[^/]+)$/;
const RUN_WORKERS = ['start', 'dev'];

/** What depends on the folder of a module, which a bundle has lost. */
const places = {
  name: 'places',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const owner = /[\\/](?:packages|@millrace)[\\/](?<name>[^\\/]+)[\\/]dist[\\/]/.exec(path)?.groups.name;
      const folder = `require('node:path').join(__dirname, ${quoted(fromTarget(dirname(path)))})`;
      // Optional packages are resolved from the package that depends on them.
      const manifest = `require.resolve(${quoted(`@millrace/${owner}/package.json`)})`;
      const contents = owner
        ? source.replaceAll('createRequire)(__filename)', `createRequire)(${manifest})`)
        : source.replace(/\b__dirname\b/g, folder);
      return path.startsWith(DIST + sep) || owner ? { contents, loader: 'js' } : null;
    });
    const external = (path) => ({ path, external: true });
    onResolve({ filter: /import-module$/ }, () => external('../plugins/import-module.js'));
    // Half a megabyte, for texts in charsets of the Far East, which no request may have.
    onResolve({ filter: /^\.\/tables\/.*\.json$/ }, ({ path }) => external(`iconv-lite/encodings/${path.slice(2)}`));
    onResolve({ filter: /^\.\/verbs\// }, ({ path, importer }) => {
      const name = COMMAND.exec(path)?.groups.name;
      if (name === undefined || RUN_WORKERS.includes(name)) return null;
      return external(fromTarget(join(dirname(importer), `${path}.js`)));
    });
  },
};

const quoted = (text) => JSON.stringify(text);
const fromTarget = (path) => relative(TARGET, path).replaceAll(sep, '/');

/**
 * @param entry the module whose exports the bundle returns
 * @param external packages whose modules are not part of it
 */
async function bundle(entry, external) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    outfile: join(TARGET, 'bundle.js'),
    external,
    plugins: [lean, places],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Names stay, so that traces can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    // Code that V8 restores from its cache cannot import.
    supported: { 'dynamic-import': false },
    lineLimit: 120,
    legalComments: 'none',
    logLevel: 'warning',
  });
  // Of ASCII characters only, which V8 keeps in one byte each.
  const code = outputFiles[0].text.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const text = `(function (require, __filename, __dirname) { const module = { exports: {} }; let { exports } = module;\n${code}\nreturn module.exports; })`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { text: `//${hash}\n${text}`, inputs: Object.keys(metafile.inputs) };
}

/** The licenses of the packages whose code is part of the bundles. */
function licenses(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?!@millrace)(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? `License: ${license}\n` : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
}

function write(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

async function main() {
  mkdirSync(TARGET, { recursive: true });
  const bundles = await Promise.all([
    ...Object.entries(PROGRAMS).map(async ([name, module]) => ({
      file: join(TARGET, `${name}.bundle.js`),
      ...(await bundle(join(TARGET, module), [...ON_DEMAND, ...(name === 'worker' ? [] : [SDK])])),
    })),
    ...[join('packages', 'sdk'), ...CONNECTORS.map((name) => join('connectors', name))].map(async (folder) => ({
      file: join(ROOT, folder, 'dist', 'index.bundle.js'),
      ...(await bundle(join(ROOT, folder, 'dist', 'index.js'), [SDK, ...OPTIONAL])),
    })),
  ]);
  for (const { file, text } of bundles) write(file, text);
  const inputs = bundles.flatMap((one) => one.inputs);
  write(join(TARGET, 'LICENSES.txt'), licenses(inputs).join(`\n${'-'.repeat(80)}\n\n`));
  for (const { file } of bundles) {
    // Those of the same bundle for other versions of Node stay.
    const folder = dirname(file);
    const isStale = (name) =>
      name.endsWith('.cache') && !bundles.some((one) => one.text.startsWith(`//${name.slice(0, 16)}`));
    for (const name of readdirSync(folder).filter(isStale)) rmSync(join(folder, name));
  }
  await warmUp(bundles.map(({ file, text }) => codeCachePath(file, text)));
}

void main();
