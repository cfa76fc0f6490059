/**
 * Compares what Java's worker and Millrace answer about jars: `npm run compare-with-java-plugins -- [FOLDER…]`, each a
 * folder of dev/services/plugin-jars.ts (Default: all; downloads about 400 MB the first time). Exits with 1 if a
 * difference is not explained. Needs a JDK, and Maven the first time.
 */
import { randomBytes } from 'node:crypto';
import { startJavaConnect } from '../services/java-connect';
import { useOrStartKafka } from '../services/kafka';
import { PLUGIN_JARS, pluginPath, type PluginFolder } from '../services/plugin-jars';
import { startWorker } from '../services/worker';
import { compareAnswers } from './answers';
import type { Difference } from './differences';
import { explain } from './explained';

/** Shown of each kind of difference. */
const SHOWN = 3;

async function main(folders: readonly PluginFolder[]): Promise<number> {
  const kafka = await useOrStartKafka({});
  const group = `compared-${randomBytes(3).toString('hex')}`;
  const settings = { 'plugin.path': await pluginPath(...folders) };
  const base = { bootstrapServers: kafka.bootstrapServers };
  // Some jars have no service files.
  const all = { ...settings, 'plugin.discovery': 'hybrid_warn' };
  const java = await startJavaConnect({ ...base, group: `${group}-java`, settings: all });
  const ours = await startWorker({ ...base, group, settings });
  try {
    await Promise.all([java.ready(), ours.ready()]);
    const compared = await compareAnswers(java, ours, folders);
    const unexplained = compared.differences.filter((difference) => explain(difference) === null);
    console.log(`${compared.questions} questions, ${compared.differences.length} differences:`);
    const reasons = grouped(compared.differences, (difference) => explain(difference) ?? 'unexplained');
    for (const [why, { length }] of reasons) console.log(`  ${length} ${why}`);
    show(unexplained);
    return unexplained.length === 0 ? 0 : 1;
  } finally {
    await Promise.all([java.stop(), ours.stop()]);
    await kafka.stop();
  }
}

function show(all: readonly Difference[]): void {
  for (const [path, some] of grouped(all, ({ path }) => path.replace(/^(body\.configs)?.*\.(\w+)$/, '$1…$2'))) {
    console.log(`\n${path}: ${some.length}`);
    for (const { question, path, java, ours } of some.slice(0, SHOWN))
      console.log(`  ${question}: ${path}\n    Java: ${shown(java)}\n    ours: ${shown(ours)}`);
  }
}

function grouped(all: readonly Difference[], by: (one: Difference) => string): Map<string, Difference[]> {
  const groups = new Map<string, Difference[]>();
  for (const one of all) groups.set(by(one), [...(groups.get(by(one)) ?? []), one]);
  return groups;
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 500);

const known = Object.keys(PLUGIN_JARS) as PluginFolder[];
const asked = process.argv.slice(2) as PluginFolder[];
const unknown = asked.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`There is no folder ${unknown}: choose of ${known.join(', ')}.`);
  process.exit(2);
}
void main(asked.length === 0 ? known : asked).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
