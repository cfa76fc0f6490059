/** The scripts of Kafka's `bin` folder, for statements that a user runs in a shell. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findJava, kafkaClassPath } from '../../../dev/services/kafka-jars';
import { ROOT } from '../../../dev/services/paths';
import { shellQuote } from '../../../packages/cli/src/output/shell-quote';

const CLASSES = {
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-reassign-partitions.sh': 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand',
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
} as const;
/** A tool runs for about a second, so fast startup matters more than peak speed. */
const FLAGS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dmillrace.log.level=WARN'];

export class KafkaScripts {
  private constructor(private readonly folder: string) {}

  /** @param folder an existing one, in which the statements run */
  static async create(folder: string): Promise<KafkaScripts> {
    const [java, classPath] = await Promise.all([findJava(), kafkaClassPath()]);
    const log4j = `-Dlog4j2.configurationFile=${join(ROOT, 'dev', 'services', 'kafka', 'log4j2.xml')}`;
    const command = [java, ...FLAGS, log4j, '-cp', classPath].map((word) => shellQuote(word)).join(' ');
    await mkdir(join(folder, 'bin'));
    for (const [name, main] of Object.entries(CLASSES))
      await writeFile(join(folder, 'bin', name), `#!/bin/sh\nexec ${command} ${main} "$@"\n`, { mode: 0o755 });
    return new KafkaScripts(folder);
  }

  /** Resolves with what the statement prints; rejects with all of its output if it fails. */
  async run(statement: string): Promise<string> {
    const env = { ...process.env, PATH: `${join(this.folder, 'bin')}:${process.env.PATH}` };
    try {
      return (await promisify(execFile)('/bin/sh', ['-c', statement], { cwd: this.folder, env })).stdout;
    } catch (error) {
      // Kafka's tools print most of their errors on standard output.
      const { code, stdout, stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
      throw new Error(`exit code ${String(code)}: ${statement}\n${stdout}${stderr}`, { cause: error });
    }
  }
}
