import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/how-to/backup-and-restore.md, with a cluster that is lost', async () => {
  const session = (scenario = await Scenario.create());
  await session.dev();
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  const source = { 'connector.class': 'FileStreamSourceConnector', topic: 'lines', file: 'lines.txt' };
  session.write('lines.json', JSON.stringify({ name: 'lines', ...source, 'value.converter': text }));
  await session.given(`
    echo 'written before the backup' > lines.txt
    millrace apply -f lines.json
    until millrace offsets export lines | grep -q position; do sleep 0.2; done`);
  await session.run('docs/how-to/backup-and-restore.md', 'backup-and-restore', {
    'lose the cluster': async () => {
      rmSync(join(session.folder, '.millrace'), { recursive: true });
      await session.given("echo 'written after the backup' >> lines.txt");
      await session.dev();
    },
  });
});
