import { builtInPlugins } from '../src/built-in-plugins';

test('built-in plugins have the class, type and version that Java reports', () => {
  const types = builtInPlugins.map(({ description, plugin }) => [description.type, plugin.type]);
  expect(types.filter(([described, own]) => described !== own)).toEqual([]);
  expect(new Set(types.map(([type]) => type))).toEqual(
    new Set(['converter', 'header_converter', 'transformation', 'predicate']),
  );
  expect(builtInPlugins.filter(({ description }) => description.version !== '4.3.1')).toEqual([]);
  expect(builtInPlugins.map(({ description }) => description.class)).toContain(
    'org.apache.kafka.connect.transforms.predicates.HasHeaderKey',
  );
});
