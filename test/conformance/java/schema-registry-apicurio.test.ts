/** The same requests to the schema registry and to Apicurio Registry. */
import { startSchemaRegistry, type RunningSchemaRegistry } from '@millrace/schema-registry';
import { type Apicurio, startApicurio } from '../../../dev/services/apicurio';
import { compareRegistries } from '../../schema-registry/comparison/compare-registries';
import { EXPLANATIONS, explanationOf } from '../../schema-registry/comparison/explained-differences';
import { sequences } from '../../schema-registry/comparison/sequences';
import { describeWithJava } from './fixtures';

describeWithJava('Apicurio Registry and the schema registry', () => {
  let apicurio: Apicurio;
  let registry: RunningSchemaRegistry;

  beforeAll(async () => {
    [apicurio, registry] = await Promise.all([startApicurio(), startSchemaRegistry({ port: 0 })]);
  });
  afterAll(async () => {
    await registry?.close();
    await apicurio?.stop();
  });

  test('the same requests have answers with the same meaning, apart from those that are explained', async () => {
    const { requests, differences } = await compareRegistries(registry.url, apicurio.url, sequences(1, 40));
    expect(requests).toBeGreaterThan(800);
    expect(differences.filter((difference) => explanationOf(difference) === null)).toEqual([]);
    const used = new Set(differences.map(explanationOf));
    expect(EXPLANATIONS.filter(({ why }) => !used.has(why))).toEqual([]);
  });
});
