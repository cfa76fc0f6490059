import { readerSettings } from '../../../src/cli/records/reader-settings';

const none = () => ({});
const AVRO = 'io.confluent.connect.avro.AvroConverter';

test('without options nothing is set: the worker’s converters read', () => {
  expect(readerSettings({}, {}, none)).toEqual({});
});

test('short names and classes', () => {
  expect(readerSettings({ keyConverter: 'string', valueConverter: 'json' }, {}, none)).toEqual({
    'key.converter': 'StringConverter',
    'value.converter': 'JsonConverter',
    'value.converter.schemas.enable': 'false',
  });
  expect(readerSettings({ valueConverter: 'com.acme.Own' }, {}, none)).toEqual({ 'value.converter': 'com.acme.Own' });
});

test.each([
  ['avro', 'AvroConverter'],
  ['json-schema', 'JsonSchemaConverter'],
  ['protobuf', 'ProtobufConverter'],
])('%s with the registry of the command line', (name, className) => {
  expect(readerSettings({ valueConverter: name, schemaRegistry: 'http://r:8081' }, {}, none)).toEqual({
    'value.converter': className,
    'value.converter.schema.registry.url': 'http://r:8081',
  });
});

test('a converter with a registry uses how the worker reaches its own; another registry gets no credentials', () => {
  const worker = (prefix: string): Record<string, string> =>
    prefix === 'value.converter.'
      ? {
          'schema.registry.url': 'https://r',
          'basic.auth.user.info': 'user:password',
          'basic.auth.credentials.source': 'USER_INFO',
          'schema.registry.ssl.truststore.location': '/trust.pem',
          'auto.register.schemas': 'false',
        }
      : {};
  expect(readerSettings({ keyConverter: 'avro' }, {}, worker)).toEqual({
    'key.converter': 'AvroConverter',
    'key.converter.schema.registry.url': 'https://r',
    'key.converter.basic.auth.user.info': 'user:password',
    'key.converter.basic.auth.credentials.source': 'USER_INFO',
    'key.converter.schema.registry.ssl.truststore.location': '/trust.pem',
  });
  expect(readerSettings({ keyConverter: 'avro', schemaRegistry: 'http://other' }, {}, worker)).toEqual({
    'key.converter': 'AvroConverter',
    'key.converter.schema.registry.url': 'http://other',
  });
});

test('a registry that nobody has named is asked for', () => {
  expect(() => readerSettings({ valueConverter: 'avro' }, {}, none)).toThrow(
    'The converter avro needs the URL of a schema registry: add --schema-registry.',
  );
});

test('the converters of a connector, without its other keys; an option counts more', () => {
  const connector = {
    'connector.class': 'FileStreamSink',
    'value.converter': AVRO,
    'value.converter.schema.registry.url': 'http://r',
    'value.converters': 'not one',
  };
  expect(readerSettings({}, connector, none)).toEqual({
    'value.converter': AVRO,
    'value.converter.schema.registry.url': 'http://r',
  });
  expect(readerSettings({ valueConverter: 'bytes', keyConverter: 'avro' }, connector, none)).toEqual({
    'value.converter': 'ByteArrayConverter',
    'key.converter': 'AvroConverter',
    'key.converter.schema.registry.url': 'http://r',
  });
  const secret = { ...connector, 'value.converter.basic.auth.user.info': 'user:password' };
  expect(readerSettings({ schemaRegistry: 'http://other' }, secret, none)).toEqual({
    'value.converter': AVRO,
    'value.converter.schema.registry.url': 'http://other',
  });
});
