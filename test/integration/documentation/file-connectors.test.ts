import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('connectors/file/README.md', async () => {
  scenario = await Scenario.create({ replace: { '/tmp/': 'tmp/' } });
  await scenario.given('mkdir tmp');
  await scenario.dev();
  await scenario.run('connectors/file/README.md', 'file-connectors');
});
