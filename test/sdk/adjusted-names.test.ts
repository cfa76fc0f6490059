import { adjustedFieldNames, adjustedSchemaNames } from '../../packages/sdk/src';

describe('cdc-postgres 110: names that Avro accepts', () => {
  test.each([
    // The first two as Debezium 3.7.0.Final made them.
    [
      'srv.My_Schema.1table-__x.Key',
      'srv.My_Schema.1table___x.Key',
      'srv.My_u005fSchema.1table_u002d_u005f_u005fx.Key',
    ],
    ['srv.public.t.Envelope', 'srv.public.t.Envelope', 'srv.public.t.Envelope'],
    ['my-server.My Schema.1table', 'my_server.My_Schema.1table', 'my_u002dserver.My_u0020Schema.1table'],
    ['1srv.t', '_1srv.t', '_u0031srv.t'],
    ['-srv.t', '_srv.t', '_u002dsrv.t'],
  ])('schema %s', (name, avro, unicode) => {
    expect(['none', 'avro', 'avro_unicode'].map((mode) => adjustedSchemaNames(mode as 'none')(name))).toEqual([
      name,
      avro,
      unicode,
    ]);
  });

  test.each([
    ['1id', '_1id', '_u0031id'],
    ['a b', 'a_b', 'a_u0020b'],
    ['c.d-é_f', 'c_d___f', 'c_u002ed_u002d_u00e9_u005ff'],
    ['$x', '_x', '_u0024x'],
    ['😀', '__', '_ud83d_ude00'],
    ['_ok9', '_ok9', '_u005fok9'],
  ])('field %s', (name, avro, unicode) => {
    expect(['none', 'avro', 'avro_unicode'].map((mode) => adjustedFieldNames(mode as 'none')(name))).toEqual([
      name,
      avro,
      unicode,
    ]);
  });
});
