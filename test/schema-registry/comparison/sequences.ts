/** Requests for two registries: sequences about one subject each, by hand and generated. */
import { SchemaGenerator, seeded } from '../avro/generate-schemas';

export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `S` is the sequence's own subject, `T` another one. */
  readonly path: string;
  readonly body?: object;
}

export interface Sequence {
  readonly name: string;
  readonly steps: readonly Step[];
}

const get = (path: string): Step => ({ method: 'GET', path });
const remove = (path: string): Step => ({ method: 'DELETE', path });
const put = (path: string, body: object): Step => ({ method: 'PUT', path, body });
const post = (path: string, body: object): Step => ({ method: 'POST', path, body });
const register = (schema: string, more: object = {}, subject = 'S'): Step =>
  post(`/subjects/${subject}/versions`, { schema, ...more });
const lookUp = (schema: string, more: object = {}): Step => post('/subjects/S', { schema, ...more });
const test = (schema: string, version = '/latest', more: object = {}): Step =>
  post(`/compatibility/subjects/S/versions${version}`, { schema, ...more });

const record = (...fields: readonly object[]): string => JSON.stringify({ type: 'record', name: 'R', fields });
const A = { name: 'a', type: 'int' };
const B = { name: 'b', type: 'int' };
const B0 = { name: 'b', type: 'int', default: 0 };

const LEVELS = ['NONE', 'BACKWARD', 'BACKWARD_TRANSITIVE', 'FORWARD', 'FORWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE'];

/** Pairs of schemas that show one rule of resolution each: a reader's and a writer's. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['"long"', '"int"'],
  ['"int"', '"long"'],
  ['"double"', '"float"'],
  ['"float"', '"double"'],
  ['"bytes"', '"string"'],
  ['"string"', '"bytes"'],
  ['["null","int"]', '"int"'],
  ['"int"', '["null","int"]'],
  ['["null","string"]', '["null","int"]'],
  ['["long"]', '["int"]'],
  ['{"type":"array","items":"long"}', '{"type":"array","items":"int"}'],
  ['{"type":"map","values":"int"}', '{"type":"map","values":"long"}'],
  ['{"type":"enum","name":"E","symbols":["A"]}', '{"type":"enum","name":"E","symbols":["A","B"]}'],
  ['{"type":"enum","name":"E","symbols":["A"],"default":"A"}', '{"type":"enum","name":"E","symbols":["A","B"]}'],
  ['{"type":"enum","name":"E","symbols":["A","B"]}', '{"type":"enum","name":"F","symbols":["A","B"]}'],
  ['{"type":"fixed","name":"F","size":1}', '{"type":"fixed","name":"F","size":2}'],
  ['{"type":"fixed","name":"F","size":1}', '{"type":"fixed","name":"G","size":1}'],
  [record(A, B0), record(A)],
  [record(A, B), record(A)],
  [record(A), record(A, B)],
  [record({ name: 'x', aliases: ['a'], type: 'int' }), record(A)],
  ['{"type":"record","name":"Q","aliases":["R"],"fields":[]}', record()],
  ['{"type":"record","name":"Q","fields":[]}', record()],
  ['{"type":"record","name":"R","namespace":"n","fields":[]}', record()],
  [record({ name: 'a', type: ['null', 'R'] }), record({ name: 'a', type: ['null', 'R'] }, B)],
];

const BY_HAND: readonly Sequence[] = [
  { name: 'the global level', steps: [put('/config', { compatibility: 'BACKWARD' }), get('/config')] },
  {
    name: 'versions and look-ups',
    steps: [
      get('/subjects/S/versions'),
      get('/subjects/S/versions/1'),
      lookUp(record(A)),
      register(record(A)),
      register(record(A), {}, 'T'),
      lookUp(record(A)),
      lookUp(record(A, B0)),
      register(record(A, B0)),
      register(record(A)),
      get('/subjects/S/versions'),
      get('/subjects/S/versions/latest'),
      get('/subjects/S/versions/1'),
      get('/subjects/S/versions/1/schema'),
      get('/subjects/S/versions/3'),
      get('/subjects/S/versions/0'),
      get('/subjects/S/versions/x'),
      get('/schemas/ids/999999'),
      get('/schemas/ids/999999/versions'),
    ],
  },
  {
    name: 'deletion of versions and subjects',
    steps: [
      register(record(A)),
      register(record(A, B0)),
      register(record(A, B0), {}, 'T'),
      remove('/subjects/S/versions/9'),
      remove('/subjects/S/versions/1'),
      get('/subjects/S/versions'),
      get('/subjects/S/versions/1'),
      remove('/subjects/S'),
      get('/subjects/S/versions'),
      lookUp(record(A)),
      remove('/subjects/S'),
      remove('/subjects/none'),
      register('"string"', {}, 'T'),
      get('/subjects/T/versions'),
    ],
  },
  {
    name: 'levels of subjects',
    steps: [
      get('/config/S'),
      put('/config/S', { compatibility: 'NEVER' }),
      ...LEVELS.flatMap((level) => [put('/config/S', { compatibility: level }), get('/config/S')]),
      register(record(A)),
      remove('/config/S'),
      get('/config/S'),
      register('"string"'),
      put('/config/S', { compatibility: 'NONE' }),
      register('"string"'),
    ],
  },
  {
    name: 'schemas that are not valid',
    steps: [
      '{"type":"foo"}',
      'x',
      '{"type":"record","name":"R"}',
      '{"type":"record","name":"R-1","fields":[]}',
      '["int","int"]',
    ].map((schema) => register(schema)),
  },
  {
    name: 'references',
    steps: [
      register('{"type":"record","name":"T","namespace":"n","fields":[]}', {}, 'T'),
      register('{"type":"record","name":"R","fields":[{"name":"a","type":"n.T"}]}', {
        references: [{ name: 'n.T', subject: 'T', version: 1 }],
      }),
      get('/subjects/S/versions/1'),
      get('/subjects/T/versions/1/referencedby'),
      register('{"type":"record","name":"R","fields":[{"name":"a","type":"n.T"}]}'),
    ],
  },
];

/** Each level decides about a pair of schemas, once by a test and once by registration. */
const ofLevels: readonly Sequence[] = PAIRS.flatMap(([reader, writer], i) => {
  const level = LEVELS[1 + (i % (LEVELS.length - 1))] as string;
  return [
    {
      name: `${level}: ${reader} after ${writer}`,
      steps: [
        put('/config/S', { compatibility: level }),
        register(writer),
        test(reader),
        test(reader, '/1'),
        register(reader),
        get('/subjects/S/versions'),
      ],
    },
    {
      name: `BACKWARD: ${reader} after ${writer}`,
      steps: [put('/config/S', { compatibility: 'BACKWARD' }), register(writer), test(reader), register(reader)],
    },
  ];
});

/** Several changes of one schema under each level. */
function generated(seed: number, count: number): readonly Sequence[] {
  const random = seeded(seed);
  const generator = new SchemaGenerator(random);
  return Array.from({ length: count }, (_, i): Sequence => {
    // NONE is no level of a subject to Apicurio: the global one holds.
    const level = LEVELS[1 + (i % (LEVELS.length - 1))] as string;
    const first = generator.schema();
    const schemas = [first, generator.changed(first), generator.changed(first), generator.changed(first)];
    const texts = schemas.map((schema) => JSON.stringify(schema));
    return {
      name: `${level}, seed ${seed}, sequence ${i}`,
      steps: [
        put('/config/S', { compatibility: level }),
        ...texts.flatMap((text) => [test(text), register(text)]),
        get('/subjects/S/versions'),
        ...texts.map((text) => lookUp(text)),
        get('/subjects/S/versions/latest'),
      ],
    };
  });
}

export function sequences(seed: number, count: number): readonly Sequence[] {
  return [...BY_HAND, ...ofLevels, ...generated(seed, count)];
}
