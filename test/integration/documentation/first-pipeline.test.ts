import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/tutorial/first-pipeline.md', async () => {
  scenario = await Scenario.create();
  await scenario.run('docs/tutorial/first-pipeline.md', 'first-pipeline');
});
