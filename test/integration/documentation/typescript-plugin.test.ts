import { dirname, join } from 'node:path';
import { packPackages } from '../../../dev/packages/pack-packages';
import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/how-to/write-a-plugin-in-typescript.md, with the packed SDK', async () => {
  const session = (scenario = await Scenario.create({ env: { npm_config_prefer_offline: 'true' } }));
  const tarballs = await packPackages(join(session.folder, '..', 'packages'));
  session.replace('/path/to/dist-packages', dirname(tarballs[0] ?? ''));
  await session.run('docs/how-to/write-a-plugin-in-typescript.md', 'typescript-plugin');
}, 600_000);
