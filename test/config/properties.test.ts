import { parseProperties, PropertiesSyntaxError } from '../../packages/texts/src/properties';

describe('properties format', () => {
  test.each<[string, string, Record<string, string>]>([
    ['=, : and blank separators', 'a=1\nb:2\nc 3\nd\t4\ne\f5', { a: '1', b: '2', c: '3', d: '4', e: '5' }],
    ['blanks around the separator', '  a = 1\n\tb : 2\nc   =3', { a: '1', b: '2', c: '3' }],
    ['only one separator is taken', 'a==1\nb=:2\nc : = 3', { a: '=1', b: ':2', c: '= 3' }],
    ['trailing blanks stay', 'a=1 \t', { a: '1 \t' }],
    ['comments and blank lines', '# x=1\n  ! y=2\n\n \t\na=1', { a: '1' }],
    ['comment marks inside a value', 'a=1 # not a comment\nb=!', { a: '1 # not a comment', b: '!' }],
    ['a comment cannot be continued', '# text \\\na=1', { a: '1' }],
    ['continuation drops leading blanks', 'a=one,\\\n   two,\\\n\tthree', { a: 'one,two,three' }],
    ['continuation through the key', 'gro\\\n  up.id=x', { 'group.id': 'x' }],
    ['even number of backslashes ends the line', 'a=1\\\\\nb=2', { a: '1\\', b: '2' }],
    ['three backslashes continue', 'a=1\\\\\\\n2', { a: '1\\2' }],
    ['a comment mark in a continuation is content', 'a=1\\\n# 2', { a: '1# 2' }],
    ['a blank line ends a continuation', 'a=1\\\n\nb=2', { a: '1', b: '2' }],
    ['backslash at the very end is dropped', 'a=1\\', { a: '1' }],
    ['a line that is only a continuation', '\\\na=1', { a: '1' }],
    ['escapes', 'a=\\t\\n\\r\\f\\q\\\\', { a: '\t\n\r\fq\\' }],
    ['unicode escapes', 'a=\\u00e9\\uD83D\\uDE00\\u0041B', { a: 'é😀AB' }],
    ['upper-case U is no unicode escape', 'a=\\U0041', { a: 'U0041' }],
    ['escaped separators in keys', 'a\\=b=1\nc\\:d=2\ne\\ f=3', { 'a=b': '1', 'c:d': '2', 'e f': '3' }],
    ['escaped backslash before a separator', 'a\\\\=1', { 'a\\': '1' }],
    ['escaped comment mark starts a key', '\\#a=1', { '#a': '1' }],
    ['key without a value', 'a\nb=\nc:', { a: '', b: '', c: '' }],
    ['empty key', '=1', { '': '1' }],
    ['last one wins', 'a=1\nb=2\na=3', { a: '3', b: '2' }],
    ['all line endings', 'a=1\r\nb=2\rc=3\nd=4\r\n', { a: '1', b: '2', c: '3', d: '4' }],
    ['continuation before CRLF', 'a=1\\\r\n  2\r\nb=3', { a: '12', b: '3' }],
    ['byte order mark', '\uFEFFa=1', { a: '1' }],
    ['non-ASCII text as it is', 'a=käse', { a: 'käse' }],
    [
      'JAAS configuration over several lines',
      'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\\n  username="u" \\\n  password="a=b:c#d";',
      {
        'sasl.jaas.config':
          'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="a=b:c#d";',
      },
    ],
    ['nothing', '', {}],
  ])('%s', (_, text, expected) => {
    expect(parseProperties(text)).toEqual(expected);
  });

  test('a key named __proto__ is an ordinary key', () => {
    const settings = parseProperties('__proto__=x');
    expect(Object.keys(settings)).toEqual(['__proto__']);
  });

  test('a malformed unicode escape names the line where its entry starts', () => {
    expect(() => parseProperties('a=1\nb=x\\\n\\u12g4')).toThrow(
      new PropertiesSyntaxError(2, 'Malformed \\uxxxx encoding.'),
    );
  });
});
