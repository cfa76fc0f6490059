/** Sees to it that redis-server is there, or says in one sentence why its tests are skipped. */
const { installRedis } = require('../../dev/services/redis/program');

module.exports = async function redisSetup() {
  const missing = installRedis();
  if (missing) process.stderr.write(`WARNING: the tests of Redis are skipped: ${missing}\n`);
};
