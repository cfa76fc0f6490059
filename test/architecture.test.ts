/** Holds the code to the tables of docs/architecture.md, and to the rules of that page that need no table. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifestOf = (folder: string) => JSON.parse(read(`${folder}/package.json`));
const PAGE = read('docs/architecture.md');

interface Import {
  readonly specifier: string;
  /** A path from the repository's root; of a package of ours, its `package.json`; null for others. */
  readonly to: string | null;
}

interface SourceFile {
  /** E.g. `packages/kafka-client/src/port.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

function pathsUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !['dist', 'node_modules'].includes(entry.name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? pathsUnder(path) : /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : [];
    });
}

/** Folders with a manifest of their own. All other files belong to the root's. */
const PACKAGES = [
  ...['packages', 'connectors', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
  'dev/analytics-emulator',
];
const FOLDERS = new Map(PACKAGES.map((folder) => [manifestOf(folder).name as string, folder]));
const packageOf = (path: string) => PACKAGES.find((folder) => path.startsWith(`${folder}/`)) ?? '.';
/** `@millrace/cli` for `@millrace/cli/rest`. */
const packageName = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

const paths = new Set(['src', ...PACKAGES].flatMap(pathsUnder));
const files: readonly SourceFile[] = [...paths].map((path) => {
  const text = read(path);
  const resolve = (specifier: string): string | null => {
    if (!specifier.startsWith('.')) {
      const folder = FOLDERS.get(packageName(specifier));
      return folder ? `${folder}/package.json` : null;
    }
    const to = posix.join(posix.dirname(path), specifier);
    return ['', '.ts', '.tsx', '.d.ts', '/index.ts'].map((end) => to + end).find((one) => paths.has(one)) ?? to;
  };
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return { path, text, imports: importedFiles.map(({ fileName }) => ({ specifier: fileName, to: resolve(fileName) })) };
});

/** One readable line for every import that `forbids` returns a reason for. */
function breaches(forbids: (from: string, to: string, specifier: string) => string | null): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, to }) => {
      const reason = forbids(path, to ?? specifier, specifier);
      return reason === null ? [] : [`${path} imports ${specifier}: ${reason}`];
    }),
  );
}

/** The cells of the page's table under a heading, without their backticks. */
function table(heading: string): string[][] {
  const [, section = ''] = new RegExp(`\n### ${heading}\n([^]*?)\n#`).exec(PAGE) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  if (rows.length === 0) throw new Error(`The page has no table under "${heading}".`);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

/** A folder of `src`, or a file directly in it. */
const roomOf = (path: string) => (path.startsWith('src/') ? path.split('/')[1]! : null);

test('rooms import only what their row of the page lists', () => {
  const rows = table('Who may know whom').map(([rooms = '', known = '']) => [rooms.split(', '), known.split(', ')]);
  const allowed = new Map(rows.flatMap(([rooms = [], known]) => rooms.map((room) => [room, known ?? []])));
  const unused = new Set([...allowed].flatMap(([room, known]) => known.map((other) => `${room} → ${other}`)));
  expect(
    breaches((path, to) => {
      const [from, other] = [roomOf(path), roomOf(to)];
      if (from === null || other === null || from === other) return null;
      const arrow = ['everything', other, to.slice('src/'.length).replace(/\.ts$/, '')].find((one) =>
        allowed.get(from)?.includes(one),
      );
      unused.delete(`${from} → ${arrow}`);
      return arrow === undefined ? `${from} may not know it` : null;
    }),
  ).toEqual([]);
  expect([...unused].filter((arrow) => !arrow.endsWith(' → nothing'))).toEqual([]);
  expect([...allowed.keys()].sort()).toEqual([...new Set([...paths].flatMap((path) => roomOf(path) ?? []))].sort());
});

test('parts of a folder import only the parts that the page lists before them', () => {
  for (const [folder = '', order = ''] of table('The parts of a room')) {
    const levels = order.split(' < ').map((level) => level.split(' '));
    /** The part of a path: a subfolder, or a file directly in the folder. */
    const partOf = (path: string) =>
      path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0]! : null;
    const levelOf = (part: string) => levels.findIndex((parts) => parts.includes(part));
    expect(
      breaches((path, to) => {
        const [from, other] = [partOf(path), partOf(to)];
        if (from === null || other === null || from === other || levelOf(other) === -1) return null;
        return levelOf(other) < levelOf(from) ? null : `${other} is not before ${from}`;
      }),
    ).toEqual([]);
    const parts = new Set([...paths].flatMap((path) => partOf(path) ?? []));
    const subfolders = [...parts].filter((part) => !paths.has(`${folder}/${part}`));
    expect({ folder, notListed: subfolders.filter((part) => levelOf(part) === -1) }).toEqual({ folder, notListed: [] });
    expect({ folder, gone: levels.flat().filter((part) => !parts.has(part)) }).toEqual({ folder, gone: [] });
  }
});

test('files and folders that are beside each other form no circle of imports, types included', () => {
  const arrows = new Map<string, Map<string, Set<string>>>();
  for (const { path, imports } of files) {
    for (const { to } of imports) {
      const [from, other] = [path.split('/'), (to ?? path).split('/')];
      const shared = from.findIndex((name, i) => name !== other[i]);
      if (shared === -1) continue;
      const place = from.slice(0, shared).join('/');
      const graph = arrows.get(place) ?? new Map<string, Set<string>>();
      arrows.set(place, graph.set(from[shared]!, (graph.get(from[shared]!) ?? new Set()).add(other[shared]!)));
    }
  }
  const circles = [...arrows].flatMap(([place, graph]) => {
    // What is left when all that import nothing are taken away, again and again.
    for (let size = -1; size !== graph.size;) {
      size = graph.size;
      for (const [name, others] of graph) if (![...others].some((other) => graph.has(other))) graph.delete(name);
    }
    return [...graph].map(
      ([name, others]) => `${place}: ${name} → ${[...others].filter((to) => graph.has(to)).join(', ')}`,
    );
  });
  expect(circles).toEqual([]);
});

test('commands do not import each other', () => {
  const commandOf = (path: string) => /^(?:src\/cli|packages\/cli\/src)\/verbs\/([\w-]+)/.exec(path)?.[1];
  expect(
    breaches((path, to) => {
      const [own, other] = [commandOf(path), commandOf(to)];
      return own === undefined || other === undefined || own === other ? null : `${own} may not know ${other}`;
    }),
  ).toEqual([]);
});

test('imports leave a package only by the name of another, which its package.json lists', () => {
  const dependencies = new Map(
    ['.', ...PACKAGES].map((folder) => {
      const manifest = manifestOf(folder);
      // Of what is not published, or is a bundle, users install no dependencies.
      const installsAll = (manifest.private && folder !== '.') || folder === 'packages/console';
      const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest;
      const listed = {
        ...dependencies,
        ...optionalDependencies,
        ...peerDependencies,
        ...(installsAll && devDependencies),
      };
      // Packages of types alone have no code to depend on.
      return [folder, new Set(Object.keys(listed).map((name) => name.replace('@types/aws-lambda', 'aws-lambda')))];
    }),
  );
  expect(
    breaches((path, to, specifier) => {
      const own = packageOf(path);
      if (specifier.startsWith('.'))
        return to.startsWith(own === '.' ? 'src/' : `${own}/`) ? null : 'import the package by its name';
      if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return null;
      if (packageName(specifier) === '@millrace/embedded' && path !== 'src/broker-thread.ts')
        return 'only src/broker-thread.ts may';
      return dependencies.get(own)?.has(packageName(specifier)) ? null : `not in ${own}/package.json`;
    }),
  ).toEqual([]);
});

test('a connector depends on no package of ours but the SDK, and converters on texts', () => {
  const connectors = PACKAGES.filter((folder) => folder.startsWith('connectors/'));
  const ours = connectors.flatMap((folder) =>
    Object.keys(manifestOf(folder).dependencies).filter((name) => FOLDERS.has(name)),
  );
  expect([...new Set(ours)].sort()).toEqual(['@millrace/sdk', '@millrace/texts']);
  const withTexts = connectors.filter((folder) => '@millrace/texts' in manifestOf(folder).dependencies);
  expect(withTexts).toEqual(['connectors/converters-schema-registry']);
});

test('both the worker and the CLI use every entry point of packages/texts', () => {
  const usedBy = (folder: string) =>
    new Set(
      files.filter(({ path }) => path.startsWith(folder)).flatMap(({ imports }) => imports.map((one) => one.specifier)),
    );
  const [worker, cli] = [usedBy('src/'), usedBy('packages/cli/')];
  const entryPoints = Object.keys(manifestOf('packages/texts').exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => subpath.replace('.', '@millrace/texts'));
  expect(entryPoints.filter((name) => !worker.has(name) || !cli.has(name))).toEqual([]);
});

test('other packages import every name that is in a list of exports', () => {
  const names = (text: string, statement: RegExp) =>
    [...text.matchAll(statement)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.trim().split(' ').pop()),
    );
  const imported = new Set(
    files.flatMap(({ text }) => names(text, /import (?:type )?\{([^}]*)\} from '@millrace\/(?:cli|texts)[/']/g)),
  );
  const unused = files
    .filter(({ path }) => /^packages\/\w+\/src\/exports\//.test(path))
    .flatMap(({ path, text }) =>
      names(text, /export (?:type )?\{([^}]*)\} from/g)
        .filter((name) => name !== '' && !imported.has(name))
        .map((name) => `${path}: ${name}`),
    );
  expect(unused).toEqual([]);
});

test('Node refuses to import a file that its package does not export', () => {
  const specifiers = PACKAGES.filter((folder) => /^(?:packages|connectors)\//.test(folder)).flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    const exported = new Set(
      Object.values<string | { default: string }>(exports).map((to) => (typeof to === 'string' ? to : to.default)),
    );
    return files
      .filter(({ path }) => path.startsWith(`${folder}/src/`))
      .map(({ path }) => path.slice(folder.length + '/src/'.length).replace(/\.tsx?$/, ''))
      .filter((file) => !exported.has(`./dist/${file}.js`) && !(`./${file}` in exports))
      .flatMap((file) => [`${name}/${file}`, `${name}/dist/${file}.js`, `${name}/src/${file}.ts`]);
  });
  const program = `
    const specifiers = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const code = (one) => { try { return require.resolve(one) } catch (error) { return error.code } };
    console.log(JSON.stringify(specifiers.filter((one) => code(one) !== 'ERR_PACKAGE_PATH_NOT_EXPORTED')));`;
  const reachable = execFileSync(process.execPath, ['-e', program], { cwd: ROOT, input: JSON.stringify(specifiers) });
  expect(JSON.parse(reachable.toString())).toEqual([]);
  expect(specifiers.length).toBeGreaterThan(100);
});

/** What only code for a built-in connector would name. */
const BUILT_IN_NAMES = [/postgres|\bpg_|replication.?slot|\bwal_|kusto|analytics|io\W+debezium/i, /FileStream/];
/** Files and folders of the worker and the console that name one, and why. */
const NAMES_ALLOWED: readonly (readonly [RegExp, reason: string])[] = [
  [/^src\/cli\/verbs\/dev\//, '`millrace dev` starts a database, and registers connectors for a first look'],
  [/^packages\/cli\/src\/output\/fail\.ts$/, 'the exit code of an error of that command'],
  [/cli\/(?:src\/)?verbs\/(?:describe|dev|doctor|get|preview)\.ts$/, 'examples in help texts'],
  [/^src\/rest\/requests\/openapi\.ts$/, 'an example of a short class name'],
  [/^src\/plugins\/missing-class\.ts$/, 'names of converters that no plugin has'],
];

/** Identifiers, literals and texts, without comments. */
function wordsOf({ path, text }: SourceFile): string[] {
  const words: string[] = [];
  const visit = (node: ts.Node): void => {
    if ('text' in node && typeof node.text === 'string' && !ts.isSourceFile(node)) words.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return words;
}

test('a built-in connector has no privilege: the worker and the console do not know its name', () => {
  const named = files
    .filter(({ path }) => /^(?:src|packages\/(?:cli|console|texts)\/src)\//.test(path))

    .filter(({ text }) => BUILT_IN_NAMES.some((name) => name.test(text)))
    .flatMap((file) => {
      const word = wordsOf(file).find((one) => BUILT_IN_NAMES.some((name) => name.test(one)));
      return word === undefined ? [] : [{ path: file.path, word }];
    });
  const paths = named.map(({ path }) => path);
  expect(named.filter(({ path }) => !NAMES_ALLOWED.some(([allowed]) => allowed.test(path)))).toEqual([]);
  expect(NAMES_ALLOWED.filter(([allowed]) => !paths.some((path) => allowed.test(path)))).toEqual([]);
});

test('every dependency is used by the package that declares it', () => {
  const configs = ['jest.config.js', 'eslint.config.mjs', 'tsconfig.base.json', 'dev/tsconfig.json']
    .map(read)
    .join('\n');
  const programs = ['test', 'dev', 'bench'].flatMap(pathsUnder).filter((path) => path !== 'test/architecture.test.ts');
  /** In strings after `from`, `import` or `(`: optional packages are loaded by functions of any name. */
  const named = (texts: readonly string[]) =>
    new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/(?:from|import|\()\s*['"`]([^'"`]+)['"`]/g)].map(([, specifier = '']) =>
          packageName(specifier),
        ),
      ),
    );
  const around = named(programs.map(read));
  const unused = ['.', ...PACKAGES].flatMap((folder) => {
    const { dependencies, optionalDependencies, peerDependencies, devDependencies, scripts } = manifestOf(folder);
    const own = named(files.filter(({ path }) => packageOf(path) === folder).map(({ text }) => text));
    const commands = Object.values<string>(scripts ?? {}).join('\n');
    const isTool = (name: string) =>
      new RegExp(`(^|[ /])${name}([ /]|$)`, 'm').test(commands) ||
      new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(configs);
    return [
      // The worker finds its connectors by its list of dependencies (built-in-connectors.ts).
      ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
        (name) => !own.has(name) && !/^@millrace\/(connector|converters|transforms)-/.test(name),
      ),
      ...Object.keys(devDependencies ?? {}).filter((name) => {
        const code = name.replace(/^@types\//, '');
        return !own.has(code) && !around.has(code) && !isTool(code) && !isTool(name);
      }),
    ].map((name) => `${folder}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test('the page’s tree names every room and package', () => {
  const names = [
    ...[...paths].flatMap((path) => roomOf(path) ?? []),
    ...PACKAGES.map((folder) => posix.basename(folder)),
  ];
  expect(names.filter((name) => !new RegExp(`^  ${name}/? `, 'm').test(PAGE))).toEqual([]);
});

test('files that the pages about the design and the decision records name exist', () => {
  const records = readdirSync(join(ROOT, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`);
  // Backticked paths of files and folders; rooms of `src` and connectors may be named without it.
  const exists = (path: string) =>
    ['', '.ts'].some((end) => ['', 'src', 'connectors'].some((folder) => existsSync(join(ROOT, folder, path + end))));
  const missing = ['docs/architecture.md', 'docs/how-a-record-flows.md', ...records].flatMap((page) =>
    [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)]
      .filter(([, path = '']) => !exists(path))
      .map(([, path]) => `${page} names ${path}`),
  );
  expect(missing).toEqual([]);
});
