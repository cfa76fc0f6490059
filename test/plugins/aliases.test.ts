import { candidates, prunedName, simpleName } from '../../src/plugins/aliases';
import type { PluginDescription } from '../../src/plugins/registry';

const plugin = (className: string, type: PluginDescription['type'], aliases: string[] = []): PluginDescription => ({
  class: className,
  type,
  aliases,
  version: '1',
  taskClass: null,
  location: 'x',
});

describe('names (connect-runtime Appendix D)', () => {
  test.each<[string, PluginDescription['type'], string, string]>([
    ['org.apache.kafka.connect.file.FileStreamSinkConnector', 'sink', 'FileStreamSinkConnector', 'FileStreamSink'],
    ['io.debezium.connector.postgresql.PostgresConnector', 'source', 'PostgresConnector', 'Postgres'],
    ['org.apache.kafka.connect.json.JsonConverter', 'converter', 'JsonConverter', 'Json'],
    ['org.apache.kafka.connect.storage.SimpleHeaderConverter', 'header_converter', 'SimpleHeaderConverter', 'Simple'],
    ['org.apache.kafka.connect.json.JsonConverter', 'header_converter', 'JsonConverter', 'JsonConverter'],
    ['org.apache.kafka.connect.transforms.InsertField$Key', 'transformation', 'Key', 'Key'],
    ['a.ConnectorConnectorX', 'sink', 'ConnectorConnectorX', 'Connector'],
    ['a.Connector', 'sink', 'Connector', 'Connector'],
    ['tick', 'source', 'tick', 'tick'],
  ])('%s as %s', (className, type, simple, pruned) => {
    expect(simpleName(className)).toBe(simple);
    expect(prunedName(className, type)).toBe(pruned);
  });

  test('a class wins over a declared alias, which wins over a derived name', () => {
    const plugins = [plugin('Foo', 'sink'), plugin('a.Bar', 'sink', ['Foo', 'FooSink']), plugin('b.FooSink', 'sink')];
    expect(candidates('Foo', plugins).map((p) => p.class)).toEqual(['Foo']);
    expect(candidates('FooSink', plugins).map((p) => p.class)).toEqual(['a.Bar']);
    expect(candidates('Bar', plugins).map((p) => p.class)).toEqual(['a.Bar']);
    expect(candidates('nope', plugins)).toEqual([]);
  });

  test('all classes that share a derived name', () => {
    const plugins = [plugin('a.XConnector', 'sink'), plugin('b.XConnector', 'source')];
    expect(candidates('X', plugins).map((p) => p.class)).toEqual(['a.XConnector', 'b.XConnector']);
  });
});
