/** The table of settings, and what they mean. Source: Confluent's AvroDataConfig 7.7.0. */
import { avroConverter } from '../../../../connectors/converters-schema-registry/src/avro';
import { AVRO_CONFIG, avroSettings } from '../../../../connectors/converters-schema-registry/src/avro/avro-config';

test('keys and defaults are those of Java', () => {
  expect(
    Object.fromEntries(AVRO_CONFIG.map(({ name, default: value, importance }) => [name, [value, importance]])),
  ).toEqual({
    'allow.optional.map.keys': [false, 'LOW'],
    'connect.meta.data': [true, 'LOW'],
    'discard.type.doc.default': [false, 'LOW'],
    'enhanced.avro.schema.support': [false, 'MEDIUM'],
    'flatten.singleton.unions': [true, 'LOW'],
    'generalized.sum.type.support': [false, 'MEDIUM'],
    'ignore.default.for.nullables': [false, 'MEDIUM'],
    'schemas.cache.config': [1000, 'LOW'],
    'scrub.invalid.names': [false, 'MEDIUM'],
  });
});

test('the converter lists each key once', () => {
  const names = avroConverter.config.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['schema.registry.url', 'connect.meta.data']));
});

test.each([
  [{}, true, false],
  [{ 'connect.meta.data': ' FALSE ', 'scrub.invalid.names': 'True' }, false, true],
  [{ 'connect.meta.data': '' }, true, false],
])('settings of %p', (config, metaData, scrub) => {
  expect(avroSettings(config)).toMatchObject({ metaData, scrub, flattenSingletons: true, enhanced: false });
});
