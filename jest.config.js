/**
 * `unit` needs only Node. `services` and `java` share a broker and a database that start once
 * (test/helpers/global-setup.js). `services` runs on either broker, with fewer tests on Apache Kafka. `java`, every
 * folder of that name, runs on Apache Kafka only. `redis`, every folder of that name, starts redis-server, which is
 * installed first if it is missing and the user is root.
 */
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
    '^@millrace/sdk$': '<rootDir>/packages/sdk/src/index.ts',
    '^@millrace/sdk/testing$': '<rootDir>/packages/sdk/src/testing/index.ts',
    '^@millrace/record-codecs$': '<rootDir>/packages/record-codecs/src/index.ts',
    '^@millrace/kafka-protocol$': '<rootDir>/packages/kafka-protocol/src/index.ts',
    '^@millrace/kafka-client$': '<rootDir>/packages/kafka-client/src/index.ts',
    '^@millrace/kafka-client/clients$': '<rootDir>/packages/kafka-client/src/create-clients.ts',
    '^@millrace/kafka-client/security$': '<rootDir>/packages/kafka-client/src/security/index.ts',
    '^@millrace/(cli|texts)/(.*)$': '<rootDir>/packages/$1/src/$2.ts',
    '^@millrace/embedded$': '<rootDir>/packages/embedded/src/index.ts',
    '^@millrace/connector-([a-z]+)$': '<rootDir>/connectors/$1/src/index.ts',
    // The module of a built-in plugin, which the worker imports by its path.
    '/connectors/([a-z-]+)/dist/index\\.js$': '<rootDir>/connectors/$1/src/index.ts',
  },
  modulePathIgnorePatterns: [
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
