import { freePort } from '../../../dev/services/free-port';
import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/how-to/schema-registry.md: a source of Avro, from millrace dev', async () => {
  const session = (scenario = await Scenario.create({ replace: { 8081: String(await freePort()) } }));
  await session.run('docs/how-to/schema-registry.md', 'schema-registry');
});
