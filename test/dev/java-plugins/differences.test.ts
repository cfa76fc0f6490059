import { casesOf } from '../../../dev/java-plugins/cases';
import { differences, pluginsOnlyInJava } from '../../../dev/java-plugins/differences';

const entry = (name: string, errors: string[]): object => ({ definition: { name }, value: { name, errors } });

describe('answers of two workers', () => {
  test('are compared by the names of keys, and their order apart', () => {
    const java = { status: 200, body: { configs: [entry('a', []), entry('b', ['wrong'])] } };
    const ours = { status: 200, body: { configs: [entry('b', []), entry('a', [])], warnings: ['w'] } };
    expect(differences('q', java, ours)).toEqual([
      { question: 'q', path: 'body.configs.the order', java: ['a', 'b'], ours: ['b', 'a'] },
      { question: 'q', path: 'body.configs.b.value.errors', java: ['wrong'], ours: [] },
      { question: 'q', path: 'body.warnings', java: undefined, ours: ['w'] },
    ]);
    expect(differences('q', java, structuredClone(java))).toEqual([]);
  });

  test('a key that only one of them has is one difference', () => {
    const of = (...names: string[]): { status: number; body: unknown } => ({
      status: 200,
      body: names.map((name) => ({ name })),
    });
    expect(differences('q', of('a', 'b'), of('a')).map(({ path }) => path)).toEqual(['body.the order', 'body.b']);
  });

  test('other statuses are one difference', () => {
    const java = { status: 200, body: { a: 1 } };
    const ours = { status: 500, body: { error_code: 500 } };
    expect(differences('q', java, ours)).toEqual([{ question: 'q', path: 'status', java, ours }]);
  });

  test('plugins may be more than Java’s, but not fewer', () => {
    const plugin = (version: string): { class: string; type: string; version: string } => ({
      class: 'x.A',
      type: 'sink',
      version,
    });
    expect(pluginsOnlyInJava([plugin('1')], [plugin('2'), plugin('1')])).toEqual([]);
    expect(pluginsOnlyInJava([plugin('1')], [plugin('2')])).toEqual([
      { question: 'plugins', path: 'x.A sink 1', java: 'listed', ours: undefined },
    ]);
  });
});

describe('configs that are validated', () => {
  const keys = [
    { name: 'connector.class', type: 'STRING' },
    { name: 'batch', type: 'INT' },
    { name: 'sizes', type: 'DOUBLE' },
  ];
  const cases = casesOf('org.apache.kafka.connect.file.FileStreamSinkConnector', '1.0', keys);

  test('ask for the jar’s version, lack each key that is needed once, and have wrong values for each type', () => {
    for (const { config } of cases) expect(config).toMatchObject({ 'connector.plugin.version': '1.0' });
    expect(cases.find(({ title }) => title === 'without topics')?.config).not.toHaveProperty('topics');
    expect(cases.find(({ title }) => title === 'without file')?.config).toMatchObject({ topics: 't' });
    const wrong = cases.filter(({ title }) => title.startsWith('wrong')).map(({ config }) => config.batch);
    expect(wrong).toEqual(['many', '', '-1', '2147483648']);
    expect(new Set(cases.map(({ config }) => config['connector.class'])).size).toBe(1);
  });
});
