import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBroker } from '../../../dev/services/broker';
import { ROOT } from '../../../dev/services/paths';
import { Scenario } from './scenario';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('README.md, on a cluster of its own', async () => {
  const broker = await startBroker();
  ends.push(broker.stop);
  const kafkaPort = Number(broker.bootstrapServers.split(':').at(-1));
  const scenario = await Scenario.create({ kafkaPort, replace: { 'kafka-1:9092,kafka-2:9092': 'localhost:9092' } });
  ends.push(() => scenario.end());
  // The commands run in the repository's folder.
  await scenario.given(`
    ln -s ${join(ROOT, 'dist')} dist
    ln -s ${join(ROOT, 'node_modules')} node_modules
    cp ${join(ROOT, 'package.json')} .
    cp -r ${join(ROOT, 'examples')} .
    echo '{"id":1}' | BOOTSTRAP_SERVERS=localhost:9092 millrace produce - --topic fulfillment.public.todos`);
  scenario.write('worker.properties', readFileSync(join(ROOT, 'worker.properties'), 'utf8'));
  await scenario.run('README.md', 'readme');
});
