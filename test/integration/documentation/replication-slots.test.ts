import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/how-to/replication-slots.md, with a slot that is dropped', async () => {
  const session = (scenario = await Scenario.create());
  await session.start('millrace dev --seed', 'First event of topic');
  await session.run('docs/how-to/replication-slots.md', 'replication-slots', {
    'lose the slot': async () =>
      await session.given(`
        millrace stop todos-source
        until millrace dev --sql "SELECT pg_drop_replication_slot('todos_slot')"; do sleep 0.2; done
        millrace dev --sql "INSERT INTO todos (description) VALUES ('written while the slot was lost')"
        millrace resume todos-source --no-wait`),
  });
});
