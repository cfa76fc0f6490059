/** What Java's worker and Millrace answer about jars. `npm run compare-with-java-plugins` asks about more of them. */
import { compareAnswers } from '../../../dev/java-plugins/answers';
import { explain } from '../../../dev/java-plugins/explained';
import { pluginPath, type PluginFolder } from '../../../dev/services/plugin-jars';
import { Cluster, describeWithJava } from './fixtures';

const FOLDERS: readonly PluginFolder[] = ['file', 'mirror', 'debezium-postgres', 'debezium-jdbc'];

describeWithJava('answers about connectors in jars', () => {
  let first: Cluster;
  let second: Cluster;

  beforeAll(async () => {
    [first, second] = [await Cluster.create(), await Cluster.create()];
  });
  afterAll(async () => {
    await first?.close();
    await second?.close();
  });

  test('plugins, definitions and validations are Java’s, key by key', async () => {
    const settings = { 'plugin.path': await pluginPath(...FOLDERS) };
    const [java, ours] = await Promise.all([first.java(settings), second.ours(settings)]);
    const { questions, differences } = await compareAnswers(java, ours, FOLDERS);
    expect(questions).toBeGreaterThan(70);
    expect(differences.filter((difference) => explain(difference) === null)).toEqual([]);
  });
});
