/**
 * Starts a broker of the chosen kind (dev/services/broker.ts) and PostgreSQL once for all tests that need them, and
 * says where they are in `BOOTSTRAP_SERVERS` and `TEST_POSTGRES_URL`. Where one is set already, that one is used and
 * left alone.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { useOrStartBroker } = require('../../dev/services/broker');
const { useOrStartPostgres } = require('../../dev/services/postgres');

module.exports = async function globalSetup() {
  // Another project of the same run has done it.
  if (globalThis.millraceServices) return;
  if (!existsSync(join(__dirname, '..', '..', 'dist', 'main.js')))
    throw new Error('These tests start real workers from dist/, which is not there: run `npm run build` first.');
  const started = await Promise.allSettled([useOrStartBroker(), useOrStartPostgres()]);
  globalThis.millraceServices = started.filter((s) => s.status === 'fulfilled').map((s) => s.value);
  const failed = started.find((s) => s.status === 'rejected');
  if (failed) {
    await Promise.all(globalThis.millraceServices.map((service) => service.stop()));
    throw failed.reason;
  }
  const [broker, postgres] = globalThis.millraceServices;
  process.env.BOOTSTRAP_SERVERS = broker.bootstrapServers;
  process.env.TEST_POSTGRES_URL = postgres.url;
};
