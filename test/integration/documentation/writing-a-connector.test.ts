import { join } from 'node:path';
import { writeConnectorPage } from '../../helpers/connector-page';
import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/writing-a-connector.md', async () => {
  scenario = await Scenario.create();
  writeConnectorPage(join(scenario.folder, 'my-plugin'));
  await scenario.given('export CONNECT_PLUGIN_PATH=my-plugin');
  await scenario.dev();
  await scenario.given('unset CONNECT_PLUGIN_PATH');
  await scenario.run('docs/writing-a-connector.md', 'writing-a-connector');
});
