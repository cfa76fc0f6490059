/**
 * Records Java's text of numbers, decimals and Connect data in test/golden/java-text/texts.txt:
 * `JAVA_HOME=… node -r ./dev/register.js dev/record-java-text.ts`. Needs JDK 19 or newer, and Maven the first time.
 *
 * Until JDK 18, `Double.toString` sometimes prints more digits than it needs (JDK-4511638: 2.0E23 as
 * 1.9999999999999998E23). Kafka 4.3.1's image runs Java 21, so users see the shortest texts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { javaConnectJars } from './services/java-connect-jars';
import { findJava } from './services/kafka-jars';
import { ROOT } from './services/paths';

const GOLDEN = join(ROOT, 'test', 'golden');
const FORMAT = 'BASE64 ';
const OLDEST_JAVA = 19;

async function main(): Promise<void> {
  const envelopes = readFileSync(join(GOLDEN, 'converters', 'json-converter.txt'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(FORMAT))
    .map((line) => line.slice(FORMAT.length));
  const { classPath } = await javaConnectJars();
  const flags = ['-Dfile.encoding=UTF-8', '-Dstdout.encoding=UTF-8', '-Duser.timezone=UTC', '-Duser.language=en'];
  const program = join(GOLDEN, 'java-text', 'JavaText.java');
  const java = spawn(await findJava(), [...flags, '--source', String(OLDEST_JAVA), '-cp', classPath, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  java.stdin.end(`${envelopes.join('\n')}\n`);
  const [texts, [status]] = await Promise.all([text(java.stdout), once(java, 'close')]);
  if (status !== 0) throw new Error(`JavaText.java ended with status ${status}: is it JDK ${OLDEST_JAVA} or newer?`);
  writeFileSync(join(GOLDEN, 'java-text', 'texts.txt'), texts);
}

void main();
