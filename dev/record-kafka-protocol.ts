/**
 * Records the bytes of Kafka's messages as Java writes them in test/golden/kafka-protocol/bytes.json:
 * `node -r ./dev/register.js dev/record-kafka-protocol.ts`. Needs JDK 17 or newer, and Maven the first time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MESSAGES, type RecordedMessage } from '../test/golden/kafka-protocol/messages';
import { findJava, kafkaClassPath } from './services/kafka-jars';
import { ROOT } from './services/paths';

const FOLDER = join(ROOT, 'test', 'golden', 'kafka-protocol');
const UUID = /^[0-9a-f]{32}$/;

/** In AddPartitionsToTxn several fields of the request and the response would have the same name, except in Kafka. */
function javaName({ api, direction, version }: RecordedMessage, path: readonly string[]): string {
  const name = path.at(-1) ?? '';
  if (api.name !== 'AddPartitionsToTxn') return name;
  if (direction === 'request')
    return path.length > 1 || version > 3 ? name : `v3AndBelow${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (name === 'results') return path.length === 1 ? 'resultsByTopicV3AndBelow' : 'resultsByPartition';
  return name === 'errorCode' && path.at(-2) === 'results' ? 'partitionErrorCode' : name;
}

/** As Kafka's JSON converters read it: bytes in base64, UUIDs in that of URLs. */
function forJava(message: RecordedMessage, value: unknown, path: readonly string[] = []): unknown {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (typeof value === 'string') return UUID.test(value) ? Buffer.from(value, 'hex').toString('base64url') : value;
  if (Array.isArray(value)) return value.map((element) => forJava(message, element, path));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const at = [...path, name];
      return [javaName(message, at), forJava(message, inner, at)];
    }),
  );
}

async function main(): Promise<void> {
  const flags = ['-Dfile.encoding=UTF-8', '-Dstdout.encoding=UTF-8', '-cp', await kafkaClassPath()];
  const java = spawn(await findJava(), [...flags, join(FOLDER, 'KafkaMessages.java')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = MESSAGES.map((message) =>
    [
      ...[message.api.key, message.api.name, message.version],
      message.direction === 'request' ? 'Request' : 'Response',
      JSON.stringify(forJava(message, message.fields)),
    ].join('\t'),
  );
  java.stdin.end(`${lines.join('\n')}\n`);
  const [output, [status]] = await Promise.all([text(java.stdout), once(java, 'close')]);
  if (status !== 0) throw new Error(`KafkaMessages.java ended with status ${status}`);
  const answers = output.split('\n');
  const recorded = MESSAGES.flatMap(({ name, hasNull }, i) => {
    const [bytes, rejection] = answers[i]?.split('\t') ?? [];
    if (rejection !== undefined && !hasNull) throw new Error(`Java does not write ${name}: ${rejection}`);
    return rejection === undefined ? [[name, bytes]] : [];
  });
  writeFileSync(join(FOLDER, 'bytes.json'), `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`);
}

void main();
