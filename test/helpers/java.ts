/** Tests that need a JVM are skipped without one, with the reason on stderr. */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../../dev/services/paths';

const PROGRAM = `const jars = require('./dev/services/kafka-jars');
  jars.findJava().then(jars.kafkaClassPath).catch((error) => { console.error(error.message); process.exitCode = 1; });`;

/**
 * The reason why Apache Kafka and its tools cannot run here, or null. Evaluated before tests are declared, so that they
 * show as skipped.
 */
function whyNoKafka(): string | null {
  const node = spawnSync(process.execPath, ['-r', './dev/register.js', '-e', PROGRAM], { cwd: ROOT, encoding: 'utf8' });
  return node.status === 0 ? null : node.stderr.trim() || 'Apache Kafka cannot run here';
}
const missing = whyNoKafka();
if (missing !== null) process.stderr.write(`SKIPPED: nothing is tried with Apache Kafka itself: ${missing}\n`);

export const describeWithKafka = missing === null ? describe : describe.skip;
export const testWithKafka = missing === null ? test : test.skip;
