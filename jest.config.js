/**
 * `unit` needs nothing but Node. `services` and `java` share a broker and a database that are started once
 * (test/helpers/global-setup.js): `services` runs on either broker, without some on Apache Kafka, `java`, every folder
 * of that name, on Apache Kafka alone. `redis`, every folder of that name, starts redis-server, which is installed
 * first where it is missing and that is allowed.
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
    '^@millrace/embedded$': '<rootDir>/packages/embedded/src/index.ts',
    '^@millrace/connector-([a-z]+)$': '<rootDir>/connectors/$1/src/index.ts',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/packages/[a-z]+/dist/',
    '<rootDir>/connectors/[a-z]+/dist/',
    '<rootDir>/apps/[a-z-]+/dist/',
  ],
};
const withServices = ['integration', 'conformance', 'chaos', 'security'];
/** What the broker plays no part in proves nothing twice: these run with the embedded one alone. */
const onceOnly = [
  'integration/postgres/(?!unwrap)', // drives the source's tasks itself
  'integration/analytics/(?!readme|worker)', // drives the sink's tasks itself, or is about the cluster's faults
  'integration/dev-mode/', // brings its own broker
  'integration/dev/(connector-page|demo-analytics|demo-apps)', // bring their own, or none
  'integration/rest/', // asks for no records
  'integration/cli/', // on Apache Kafka, test/integration/java/produce
  'security/', // about what callers and documents hold, or on a scripted broker
  'chaos/(clock-jumps|snapshot-killed|stop-without-kafka)', // about the worker's clock, its snapshot, its own end
  'conformance/rest/', // on Apache Kafka, test/conformance/java/rest-report runs these
].map((path) => `<rootDir>/test/${path}`);
const isSecondRun = process.env.TEST_BROKER === 'kafka' && !process.env.CONFORMANCE_URL;
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
  // Of two cores: most tests wait for processes of their own half of the time.
  maxWorkers: 3,
};
