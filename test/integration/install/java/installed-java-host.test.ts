/** The packed packages with the Java host, installed outside the repository. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { builtJavaHost } from '../../../../dev/services/java-host';
import { pluginPath } from '../../../../dev/services/plugin-jars';
import { testWithKafka } from '../../../helpers/java';
import { Installation } from '../installation';
import { movesLines } from '../moves-lines';

let installation: Installation | undefined;
afterAll(async () => await installation?.remove());

testWithKafka('millrace dev with the installed Java host moves lines through the connectors of a jar', async () => {
  await builtJavaHost();
  installation = await Installation.create({ javaHost: true });
  // As a user may name it.
  const plugins = join(installation.folder, 'jars of Zoë');
  cpSync(await pluginPath('file'), plugins, { recursive: true });
  const log = await movesLines(installation, {
    compression: 'gzip',
    variables: { CONNECT_PLUGIN_PATH: plugins },
    config: { 'connector.plugin.version': '4.3.1' },
  });
  expect(log).toMatch(/The JVM of .*Zoë.* starts \(Java \d+/);
  expect(log).toMatch(
    /\[org\.apache\.kafka\.connect\.file\.FileStreamSourceConnector\] Starting file source connector/,
  );
});
