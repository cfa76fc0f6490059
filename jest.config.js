/**
 * `unit` needs only Node. `services` and `java` share a broker and a database that start once
 * (test/helpers/global-setup.js). `services` runs on either broker, with fewer tests on Apache Kafka. `java`, every
 * folder of that name, runs on Apache Kafka only. `redis`, every folder of that name, starts redis-server, which is
 * installed first if it is missing and the user is root.
 */
const { readdirSync } = require('node:fs');

/** Tests run the sources of our packages: what their package.json exports, and nothing else of them by name. */
function sourcesOfPackages() {
  const folders = ['packages', 'connectors'].flatMap((group) =>
    readdirSync(`${__dirname}/${group}`).map((name) => `${group}/${name}`),
  );
  const entries = folders.flatMap((folder) => {
    const { name, exports } = require(`./${folder}/package.json`);
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const [, file] = /^\.\/dist\/(.*)\.js$/.exec(target.default ?? target) ?? [];
      return file ? [[`^${name}${subpath.slice(1)}$`, `<rootDir>/${folder}/src/${file}.ts`]] : [];
    });
  });
  return Object.fromEntries(entries);
}

const common = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs', ignoreDynamic: true },
      },
    ],
  },
  moduleNameMapper: {
    ...sourcesOfPackages(),
    // The module of a built-in plugin, which the worker imports by its path.
    '/connectors/([a-z-]+)/dist/index\\.js$': '<rootDir>/connectors/$1/src/index.ts',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/.cache/',
    '<rootDir>/dist/',
    '<rootDir>/packages/[a-z-]+/dist/',
    '<rootDir>/connectors/[a-z-]+/dist/',
    '<rootDir>/apps/[a-z-]+/dist/',
  ],
};
const withServices = ['integration', 'chaos', 'security'];
/** These do not depend on the broker, so they run on the embedded one only. */
const onceOnly = [
  'integration/postgres/(?!unwrap|outbox)', // runs the source's tasks itself
  'integration/analytics/(?!readme|worker)', // runs the sink's tasks itself, or tests faults of the cluster
  'integration/dev-mode/', // starts its own broker
  'integration/embedded-clients/', // starts its own brokers
  'integration/deploy/', // renders and validates the files of deploy/, and starts a worker with them
  'integration/documentation/', // starts its own brokers
  'integration/dev/(connector-page|demo-analytics|demo-apps|documentation-site)', // start their own, or none
  'integration/rest/', // reads no records
  'integration/install/', // starts its own broker
  'integration/console/', // about the page in the browser
  'integration/cli/', // on Apache Kafka, test/integration/java/produce and doctor
  'security/', // about requests and documents, or on a scripted broker
  'chaos/(clock-jumps|snapshot-killed|stop-without-kafka)', // about the worker's clock, snapshot and shutdown
].map((path) => `<rootDir>/test/${path}`);
const isSecondRun = process.env.TEST_BROKER === 'kafka';
const services = {
  ...common,
  globalSetup: '<rootDir>/test/helpers/global-setup.js',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.js',
};
module.exports = {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [...withServices.map((d) => `<rootDir>/test/${d}/`), '<rootDir>/test/.*/(java|redis)/'],
    },
    {
      ...services,
      displayName: 'services',
      testMatch: withServices.map((d) => `<rootDir>/test/${d}/**/*.test.ts`),
      testPathIgnorePatterns: ['<rootDir>/test/.*/java/', ...(isSecondRun ? onceOnly : [])],
    },
    {
      ...services,
      displayName: 'java',
      globalSetup: '<rootDir>/test/helpers/java-setup.js',
      testMatch: ['<rootDir>/test/**/java/**/*.test.ts'],
    },
    {
      ...common,
      displayName: 'redis',
      testMatch: ['<rootDir>/test/**/redis/**/*.test.ts'],
      globalSetup: '<rootDir>/test/helpers/redis-setup.js',
    },
  ],
  testTimeout: 300000,
  // On two cores: most tests wait for other processes half of the time.
  maxWorkers: 3,
};
