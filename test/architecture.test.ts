/** Compares "Who may know whom" of docs/architecture.md with the actual imports. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..');

/** Rooms of `src` that a room may import from, besides itself. Composition roots may import every room. */
const MAY_KNOW: Record<string, readonly string[] | 'everything'> = {
  metrics: [],
  logging: [],
  json: [],
  values: [],
  converters: ['json', 'values'],
  transforms: ['config', 'values'],
  threads: ['logging'],
  'plugin-host': ['config', 'plugins', 'logging', 'threads'],
  'kafka-clients.ts': ['logging', 'metrics'],
  'dead-letters': [],
  storage: ['connector-task-id.ts', 'json', 'logging'],
  config: ['logging', 'plugins'],
  plugins: ['logging'],
  tasks: [
    ...['connector-task-id.ts', 'kafka-clients.ts', 'config', 'plugins', 'transforms'],
    ...['logging', 'metrics', 'threads'],
  ],
  cluster: [
    ...['connector-task-id.ts', 'tasks', 'plugin-host', 'storage', 'dead-letters', 'kafka-clients.ts'],
    ...['config', 'plugins', 'logging', 'metrics'],
  ],
  rest: ['json', 'cluster', 'config', 'plugins', 'logging', 'metrics'],
  'embedded-broker': ['logging', 'threads'],
  'version.ts': [],
  'connector-task-id.ts': [],
  cli: 'everything',
  'composition roots': 'everything',
};
/** The only files of a room that other rooms may see, composition roots excepted. */
const FRONT_DOORS: Record<string, readonly string[]> = {
  transforms: ['transforms/chain'],
};
/**
 * For rooms with subfolders: what each part of the room may import from the room, besides itself. Files directly in the
 * room's folder are its base: every part may import them, and they import no part. One that does, such as the file that
 * assembles the room, has an entry of its own, by its name.
 */
const SUBFOLDERS: Record<string, Record<string, readonly string[]>> = {
  'src/cluster': {
    group: [],
    queue: [],
    history: [],
    offsets: [],
    forwarding: [],
    fencing: [],
    running: ['group', 'offsets', 'queue'],
    requests: ['running', 'history', 'group', 'offsets', 'queue', 'forwarding'],
    tick: ['requests', 'running', 'group', 'queue', 'forwarding'],
    'herder-context.ts': ['running', 'group', 'offsets', 'queue', 'forwarding'],
    'herder.ts': [
      'herder-context.ts',
      ...['tick', 'requests', 'running', 'history', 'group', 'offsets', 'queue', 'forwarding'],
    ],
    'create-herder.ts': [
      ...['herder.ts', 'herder-context.ts'],
      ...['tick', 'requests', 'running', 'history', 'group', 'offsets', 'forwarding', 'fencing'],
    ],
  },
  'connectors/postgres/src': {
    values: [],
    config: ['values'],
    database: ['config', 'values'],
    metrics: ['database', 'config'],
    events: ['metrics', 'database', 'config', 'values'],
    notifications: ['config'],
    'snapshot-progress.ts': [],
    'session.ts': ['snapshot-progress.ts', 'metrics', 'notifications', 'events', 'database', 'config'],
    publication: ['database', 'config'],
    replication: ['session.ts', 'metrics', 'events', 'database', 'config', 'values'],
    snapshot: [
      ...['replication', 'publication', 'session.ts', 'snapshot-progress.ts', 'notifications'],
      ...['events', 'database', 'values'],
    ],
    startup: [
      ...['replication', 'publication', 'session.ts', 'snapshot-progress.ts', 'metrics'],
      ...['notifications', 'events', 'database', 'config'],
    ],
    reselect: ['replication', 'session.ts', 'events', 'database', 'config'],
    signals: ['config'],
    incremental: [
      ...['signals', 'snapshot', 'replication', 'notifications', 'session.ts', 'events', 'database', 'values'],
    ],
    'task.ts': [
      ...['incremental', 'startup', 'snapshot', 'replication', 'reselect'],
      ...['session.ts', 'database', 'config'],
    ],
    diagnosis: ['startup', 'replication', 'publication', 'metrics', 'events', 'database', 'config'],
    'connector.ts': ['diagnosis', 'task.ts', 'startup', 'events', 'database', 'config'],
    'index.ts': ['connector.ts'],
  },
  'connectors/transforms-debezium/src': {
    outbox: [],
    partitions: [],
    scripting: [],
    'time-zones': [],
    'decode-logical-decoding-message-content.ts': ['outbox'],
    'index.ts': ['decode-logical-decoding-message-content.ts', 'outbox', 'partitions', 'time-zones'],
  },
  'connectors/analytics/src': {
    mapping: [],
    config: ['mapping'],
    records: ['config', 'mapping'],
    batcher: ['records', 'config', 'mapping'],
    'dead-letters': ['batcher', 'config'],
    service: ['config', 'mapping'],
    request: ['service', 'batcher', 'config'],
    'partition.ts': ['request', 'batcher'],
    'disk-backoff.ts': ['partition.ts', 'config'],
    'delivery-errors.ts': ['dead-letters', 'service', 'batcher', 'config'],
    'task.ts': [
      ...['partition.ts', 'disk-backoff.ts', 'delivery-errors.ts'],
      ...['request', 'service', 'dead-letters', 'batcher', 'config', 'mapping'],
    ],
    'connector.ts': ['task.ts', 'config'],
    'index.ts': ['connector.ts'],
  },
  'connectors/file/src': {
    source: [],
    sink: [],
    'index.ts': ['source', 'sink'],
  },
  'packages/kafka-client/src': {
    'index.ts': ['network'],
    'create-clients.ts': ['network', 'producer', 'consumer', 'group', 'admin', 'security'],
    network: ['protocol', 'security'],
    security: [],
    protocol: [],
    records: [],
    producer: ['records', 'protocol'],
    consumer: ['group', 'records', 'protocol'],
    group: ['protocol'],
    admin: ['protocol'],
  },
  'src/cli': {
    worker: [],
    kafka: ['worker'],
    records: ['worker'],
    verbs: ['records', 'kafka', 'worker'],
    'commands.ts': ['verbs', 'worker'],
    'cli.ts': ['commands.ts'],
  },
  'packages/cli/src': {
    program: [],
    output: ['program'],
    documents: [],
    context: ['documents', 'program'],
    rest: ['context', 'output', 'program'],
    connectors: ['rest', 'documents', 'output', 'program'],
    completion: ['connectors', 'rest', 'context', 'program'],
    verbs: ['connectors', 'rest', 'documents', 'context', 'output', 'program'],
    'rest-commands.ts': ['verbs', 'program'],
    'run-command-line.ts': ['completion', 'output', 'program'],
    exports: [
      ...['run-command-line.ts', 'rest-commands.ts', 'connectors', 'rest', 'documents', 'context'],
      ...['output', 'program'],
    ],
  },
  'src/converters': {
    'index.ts': ['json'],
    json: [],
  },
  'src/config': {
    providers: [],
    schema: [],
    validation: ['providers', 'schema'],
  },
  'src/rest': {
    json: [],
    http: ['json'],
    auth: ['http'],
    requests: ['auth', 'http', 'json'],
    routes: ['requests', 'auth', 'http', 'json'],
    console: ['routes', 'requests', 'auth', 'http', 'json'],
    'app.ts': ['routes', 'requests', 'http'],
    'server.ts': ['app.ts', 'console', 'routes', 'requests', 'auth', 'http'],
  },
  'packages/console/src': {
    api: [],
    parts: ['api'],
    documents: [],
    offsets: ['documents'],
    'config-form': ['documents', 'parts', 'api'],
    pages: ['config-form', 'offsets', 'documents', 'parts', 'api'],
    'app.tsx': ['pages', 'parts'],
    'main.tsx': ['app.tsx'],
  },
  'src/tasks': {
    clients: [],
    errors: ['clients'],
    'worker-task.ts': ['clients'],
    source: ['worker-task.ts', 'clients', 'errors'],
    sink: ['worker-task.ts', 'clients', 'errors'],
    'task-runner.ts': ['source', 'sink', 'worker-task.ts'],
    hosts: ['task-runner.ts'],
  },
  'src/plugin-host': {
    protocol: [],
    'plugin-server.ts': ['protocol'],
    threads: ['protocol'],
    'create-host.ts': ['threads'],
  },
  'src/plugins': { watch: [] },
  'src/storage': {
    log: [],
    'connect-json.ts': [],
    config: ['log', 'connect-json.ts'],
    offsets: ['log', 'connect-json.ts'],
    status: ['log', 'connect-json.ts'],
  },
  'packages/embedded/src': {
    protocol: [],
    storage: [],
    requests: ['protocol'],
    network: ['requests', 'protocol'],
    security: ['requests', 'protocol'],
    'faults.ts': ['requests', 'protocol'],
    'dispatcher.ts': ['security', 'requests', 'protocol'],
    log: ['storage'],
    topics: ['log', 'storage', 'requests', 'protocol'],
    data: ['topics', 'log', 'requests', 'protocol'],
    groups: ['storage', 'requests', 'protocol'],
    transactions: ['storage', 'requests', 'protocol'],
    'coordinators.ts': ['groups', 'transactions', 'storage', 'requests'],
    'broker.ts': [
      ...['coordinators.ts', 'dispatcher.ts', 'faults.ts', 'network'],
      ...['data', 'topics', 'storage', 'requests'],
    ],
    testing: ['broker.ts'],
    'index.ts': ['broker.ts', 'testing', 'faults.ts', 'storage', 'protocol'],
  },
};
const COMPOSITION_ROOTS = [
  'main.ts',
  'worker.ts',
  'worker-with-broker.ts',
  'task-thread.ts',
  'plugin-thread.ts',
  'broker-thread.ts',
  'built-in-plugins.ts',
];
const BASE = 'files directly in the folder';
const LONGEST_FILE = 450;

interface SourceFile {
  /** E.g. `packages/kafka-client/src/port.ts`. */
  readonly path: string;
  /** Null outside of `src`. */
  readonly room: string | null;
  readonly text: string;
  readonly imports: readonly string[];
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !['dist', 'node_modules'].includes(entry.name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : [];
    });
}

function roomOf(path: string): string | null {
  const [top, second = ''] = path.split('/');
  if (top !== 'src') return null;
  return COMPOSITION_ROOTS.includes(second) ? 'composition roots' : second;
}

/** Folders with a manifest of their own. All other files belong to the root's. */
const PACKAGES = [
  ...['packages', 'connectors', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
  'dev/analytics-emulator',
];

const files: SourceFile[] = ['src', ...PACKAGES].flatMap(filesUnder).map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = ts.preProcessFile(text, true, true).importedFiles.map((imported) => imported.fileName);
  return { path, room: roomOf(path), text, imports };
});

/** What an import names, from the repository's root: `packages/kafka-client/src/port`; null for packages. */
function target(file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(ROOT, join(ROOT, dirname(file.path), specifier)).replaceAll('\\', '/');
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);

/** One readable line for every import that `forbids` returns a reason for. */
function breaches(forbids: (file: SourceFile, specifier: string) => string | null): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((specifier) => {
      const reason = forbids(file, specifier);
      return reason === null ? [] : [`${file.path} imports ${specifier}: ${reason}`];
    }),
  );
}

test('every file is in a room or package that docs/architecture.md names', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const rooms = [...new Set(files.flatMap((file) => file.room ?? []))];
  expect(rooms.filter((room) => !(room in MAY_KNOW))).toEqual([]);
  const named = (name: string) => new RegExp(`^ *(.*\\s)?${name}[/ ]`, 'm').test(page);
  const names = [...rooms, ...PACKAGES.map((folder) => posix.basename(folder))];
  expect(names.filter((name) => name !== 'composition roots' && !named(name))).toEqual([]);
});

/** A row of a Markdown table, its padding removed. */
const cells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('the page’s table of rooms is MAY_KNOW and FRONT_DOORS', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const [, section = ''] = /### Who may know whom\n([^]*?)\n#/.exec(page) ?? [];
  const printed = section.split('\n').filter((line) => line.startsWith('| `'));
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const held = Object.entries(MAY_KNOW).map(([room, known]) => [
    code([room]),
    known === 'everything' ? known : code(known) || 'nothing',
    code(FRONT_DOORS[room] ?? []),
  ]);
  expect(printed.map((line) => cells(line).join(' | '))).toEqual(held.map((row) => row.join(' | ')));
});

/** Backticked paths of files and folders; rooms of `src` may be named without it. */
const PATH = /`((?:[\w@.-]+\/)+[\w.-]*)`/g;
const IN = ['', 'src', 'connectors'];

test('files that the pages about the design and the decision records name exist', () => {
  const records = readdirSync(join(ROOT, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`);
  const missing = ['docs/architecture.md', 'docs/how-a-record-flows.md', ...records].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(PATH)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('@'))
      .filter((path) => !['', '.ts'].some((end) => IN.some((folder) => existsSync(join(ROOT, folder, path + end)))))
      .map((path) => `${page} names ${path}`),
  );
  expect(missing).toEqual([]);
});

test('rooms import only the rooms they may', () => {
  expect(
    breaches((file, specifier) => {
      const to = target(file, specifier);
      const allowed = MAY_KNOW[file.room ?? ''];
      if (to === null || allowed === 'everything' || allowed === undefined) return null;
      const room = roomOf(to.endsWith('.ts') ? to : `${to}.ts`);
      if (room === null || room === file.room) return null;
      if (!allowed.includes(room)) return `${file.room} may not know ${room}`;
      const doors = FRONT_DOORS[room];
      return doors && !doors.includes(to.slice('src/'.length)) ? `only ${doors.join(' and ')} may be seen` : null;
    }),
  ).toEqual([]);
});

test('subfolders of a room import only the subfolders they may', () => {
  for (const [folder, parts] of Object.entries(SUBFOLDERS)) {
    const partOf = (path: string): string | null => {
      if (!path.startsWith(`${folder}/`)) return null;
      const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
      if (rest.length > 0) return first;
      return first in parts ? first : BASE;
    };
    const present = new Set(files.flatMap(({ path }) => partOf(path) ?? []));
    present.delete(BASE);
    expect({ folder, parts: [...present].sort() }).toEqual({ folder, parts: Object.keys(parts).sort() });
    const unused = new Set(Object.entries(parts).flatMap(([from, known]) => known.map((to) => `${from} → ${to}`)));
    expect(
      breaches((file, specifier) => {
        const from = partOf(file.path);
        const to = target(file, specifier);
        const imported =
          from === null || to === null ? null : partOf(existsSync(join(ROOT, `${to}.tsx`)) ? `${to}.tsx` : `${to}.ts`);
        if (from === null || imported === null || imported === from || imported === BASE) return null;
        unused.delete(`${from} → ${imported}`);
        return parts[from]?.includes(imported) ? null : `${from} may not know ${imported}`;
      }),
    ).toEqual([]);
    expect({ folder, allowedAndUnused: [...unused] }).toEqual({ folder, allowedAndUnused: [] });
    expect({ folder, inALoop: inALoop(parts) }).toEqual({ folder, inALoop: [] });
  }
});

/** Parts that may, directly or not, import themselves: their arrows cannot all point down. */
function inALoop(parts: Record<string, readonly string[]>): string[] {
  const remaining = new Set(Object.keys(parts));
  for (let removed = true; removed;) {
    removed = false;
    for (const part of remaining)
      if (!parts[part]?.some((known) => remaining.has(known))) removed = remaining.delete(part);
  }
  return [...remaining];
}

/** The name of a command's file or folder. */
const verbOf = (path: string): string | undefined =>
  /^(?:src\/cli|packages\/cli\/src)\/verbs\/([\w-]+)/.exec(path)?.[1];

test('commands do not import each other', () => {
  expect(
    breaches((file, specifier) => {
      const [own, other] = [verbOf(file.path), verbOf(target(file, specifier) ?? '')];
      return own === undefined || other === undefined || own === other ? null : `${own} may not know ${other}`;
    }),
  ).toEqual([]);
});

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

test('both the worker and the CLI use every entry point of packages/texts', () => {
  const usedBy = (folder: string) =>
    new Set(files.filter(({ path }) => path.startsWith(folder)).flatMap(({ imports }) => imports));
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

test('no import cycles between files, types included', () => {
  const paths = new Set(files.map(({ path }) => path));
  const imported = new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap((specifier) => {
        const to = target(file, specifier) ?? '';
        return [to, `${to}.ts`, `${to}.d.ts`, `${to}/index.ts`].filter((path) => paths.has(path));
      }),
    ]),
  );
  const reachable = new Map(
    files.map(({ path }) => {
      const seen = new Set<string>();
      const pending = [path];
      for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
        const unseen = (imported.get(from) ?? []).filter((to) => !seen.has(to));
        for (const to of unseen) seen.add(to);
        pending.push(...unseen);
      }
      return [path, seen];
    }),
  );
  const circles = new Set<string>();
  for (const path of paths) {
    const circle = [...paths].filter((other) => reachable.get(path)?.has(other) && reachable.get(other)?.has(path));
    if (circle.length > 0) circles.add(circle.sort().join(' '));
  }
  expect([...circles]).toEqual([]);
});

test('packages import each other by name only', () => {
  expect(
    breaches((file, specifier) => {
      const to = target(file, specifier);
      if (to === null || !specifier.startsWith('.')) return null;
      const own = file.path.split('/').slice(0, 2).join('/');
      if (PACKAGES.includes(own)) return to.startsWith(`${own}/`) ? null : 'it leaves the package’s folder';
      return to.startsWith('src/') ? null : 'import the package by its name';
    }),
  ).toEqual([]);
});

test('only the thread of the embedded broker imports that package', () => {
  expect(
    breaches((file, specifier) =>
      packageOf(specifier) === '@millrace/embedded' && file.path !== 'src/broker-thread.ts'
        ? 'only src/broker-thread.ts may'
        : null,
    ),
  ).toEqual([]);
});

test('a connector depends on no package of ours but the SDK', () => {
  const others = PACKAGES.filter((folder) => folder.startsWith('connectors/')).flatMap((folder) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    return Object.keys(dependencies).filter((name) => name.startsWith('@millrace/') && name !== '@millrace/sdk');
  });
  expect(others).toEqual([]);
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
    .filter(({ room }) => room !== 'composition roots')
    .filter(({ text }) => BUILT_IN_NAMES.some((name) => name.test(text)))
    .flatMap((file) => {
      const word = wordsOf(file).find((one) => BUILT_IN_NAMES.some((name) => name.test(one)));
      return word === undefined ? [] : [{ path: file.path, word }];
    });
  const paths = named.map(({ path }) => path);
  expect(named.filter(({ path }) => !NAMES_ALLOWED.some(([allowed]) => allowed.test(path)))).toEqual([]);
  expect(NAMES_ALLOWED.filter(([allowed]) => !paths.some((path) => allowed.test(path)))).toEqual([]);
});

test('every imported package is a dependency of the package that imports it', () => {
  const dependencies = new Map<string, Set<string>>();
  const declared = (folder: string) => {
    let known = dependencies.get(folder);
    if (!known) {
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      // Of what is not published, or is a bundle, users install no dependencies.
      const needed = [
        manifest.dependencies,
        manifest.optionalDependencies,
        manifest.peerDependencies,
        ((manifest.private && folder !== '') || folder === 'packages/console') && manifest.devDependencies,
      ];
      known = new Set(needed.flatMap((packages) => Object.keys(packages || {})));
      // Packages of types alone have no code to depend on.
      if (manifest.devDependencies?.['@types/aws-lambda']) known.add('aws-lambda');
      dependencies.set(folder, known);
    }
    return known;
  };
  expect(
    breaches((file, specifier) => {
      if (specifier.startsWith('.') || isBuiltin(specifier)) return null;
      const folder = PACKAGES.find((candidate) => file.path.startsWith(`${candidate}/`)) ?? '';
      return declared(folder).has(packageOf(specifier)) ? null : `not in ${folder || '.'}/package.json`;
    }),
  ).toEqual([]);
});

test(`no file is longer than ${LONGEST_FILE} lines`, () => {
  const long = files.map((file) => `${file.path}: ${file.text.split('\n').length}`);
  expect(long.filter((line) => Number(line.split(': ')[1]) > LONGEST_FILE)).toEqual([]);
});

test('every dependency is used by the package that declares it', () => {
  const read = (path: string) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });
  const programs = ['test', 'dev', 'bench'].flatMap(filesUnder);
  const configs = ['jest.config.js', 'eslint.config.mjs', 'tsconfig.base.json', 'dev/tsconfig.json'];
  const around = [...programs.filter((path) => path !== 'test/architecture.test.ts'), ...configs].map(read);
  const unused = ['', ...PACKAGES].flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const own = files.filter(({ path }) => path.startsWith(folder === '' ? 'src/' : `${folder}/`));
    const scripts = Object.values<string>(manifest.scripts ?? {}).join('\n');
    // As the argument of a call, too: optional packages are loaded by functions of other names than `require`.
    const isNamed = (name: string, code: readonly { readonly path: string; readonly text: string }[]) => {
      const inString = `['"\`]${name}(/[^'"\`]*)?['"\`]`;
      const imported = new RegExp(`(from|import|\\()\\s*${inString}`);
      return code.some(({ path, text }) => (configs.includes(path) ? new RegExp(inString) : imported).test(text));
    };
    const shipped = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
    return [
      // The worker finds its connectors by its list of dependencies (built-in-connectors.ts).
      ...Object.keys(shipped).filter(
        (name) => !/^@millrace\/(connector|transforms)-/.test(name) && !isNamed(name, own),
      ),
      ...Object.keys(manifest.devDependencies ?? {}).filter(
        (name) =>
          !isNamed(name.replace(/^@types\//, ''), [...own, ...around]) &&
          !new RegExp(`(^|[ /])${name}([ /]|$)`, 'm').test(scripts),
      ),
    ].map((name) => `${folder || '.'}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test('the lists of this test have no unused entry', () => {
  const used = new Set<string>();
  for (const file of files) {
    for (const specifier of file.imports) {
      const to = target(file, specifier);
      if (to === null || file.room === null) continue;
      used.add(`${file.room} → ${roomOf(to.endsWith('.ts') ? to : `${to}.ts`)}`);
      if (!to.startsWith(`src/${file.room}/`)) used.add(to.slice('src/'.length));
    }
  }
  const arrows = Object.entries(MAY_KNOW).flatMap(([room, known]) =>
    known === 'everything' ? [] : known.map((other) => `${room} → ${other}`),
  );
  const paths = files.map(({ path }) => path);
  expect({
    rooms: Object.keys(MAY_KNOW).filter((room) => !files.some((file) => file.room === room)),
    arrows: arrows.filter((arrow) => !used.has(arrow)),
    frontDoors: Object.values(FRONT_DOORS).flatMap((doors) => doors.filter((door) => !used.has(door))),
    roots: COMPOSITION_ROOTS.filter((root) => !paths.includes(`src/${root}`)),
  }).toEqual({ rooms: [], arrows: [], frontDoors: [], roots: [] });
});
