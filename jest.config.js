/** Unit tests need nothing but Node; the others share services that are started once (test/helpers/global-setup.js). */
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
    '^@millrace/sdk$': '<rootDir>/src/sdk/index.ts',
    '^@millrace/sdk/testing$': '<rootDir>/src/sdk/testing/index.ts',
    '^@millrace/embedded$': '<rootDir>/embedded/src/index.ts',
    '^@millrace/connector-([a-z]+)$': '<rootDir>/connectors/$1/src/index.ts',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/embedded/dist/',
    '<rootDir>/connectors/[a-z]+/dist/',
    '<rootDir>/src/sdk/dist/',
  ],
};
const withServices = ['integration', 'conformance', 'chaos'];
module.exports = {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: withServices.map((d) => `/test/${d}/`),
    },
    {
      ...common,
      displayName: 'services',
      testMatch: withServices.map((d) => `<rootDir>/test/${d}/**/*.test.ts`),
      globalSetup: '<rootDir>/test/helpers/global-setup.js',
      globalTeardown: '<rootDir>/test/helpers/global-teardown.js',
    },
  ],
  testTimeout: 180000,
  maxWorkers: 2,
};
