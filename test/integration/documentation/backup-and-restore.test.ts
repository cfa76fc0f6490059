import { readdirSync, rmSync, statSync } from 'node:fs';
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
    mkdir -m 755 backup; touch backup/old.json
    until millrace offsets export lines | grep -q position; do sleep 0.2; done`);
  await session.run('docs/how-to/backup-and-restore.md', 'backup-and-restore', {
    'lose the cluster': async () => {
      expect(readableByOthers(join(session.folder, 'backup'))).toEqual([]);
      rmSync(join(session.folder, '.millrace'), { recursive: true });
      await session.given("echo 'written after the backup' >> lines.txt");
      await session.dev();
    },
  });
});

/** Folders and files that not only their owner can read. */
function readableByOthers(folder: string): string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(inside).toEqual(expect.arrayContaining(['connectors.json', 'offsets/lines.json', 'old.json']));
  return [folder, ...inside.map((name) => join(folder, name))].filter((path) => (statSync(path).mode & 0o077) !== 0);
}
