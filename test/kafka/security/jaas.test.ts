import { parseJaasConfig, parseJaasFile } from '../../../packages/kafka-client/src/security/jaas';

describe('kafka-client 3: sasl.jaas.config is Java syntax', () => {
  test.each([
    ['a.B required;', { loginModule: 'a.B', options: {} }],
    ['a.B required user="x" ;', { loginModule: 'a.B', options: { user: 'x' } }],
    [
      "  a.B\n  REQUIRED\n user = bare pass='si\"ngle';  ",
      { loginModule: 'a.B', options: { user: 'bare', pass: 'si"ngle' } },
    ],
    [
      'a.B optional x="a\\"b\\\\c\\n\\101" "quoted key"="1;2=3";',
      { loginModule: 'a.B', options: { x: 'a"b\\c\nA', 'quoted key': '1;2=3' } },
    ],
    ['a.B required x="";', { loginModule: 'a.B', options: { x: '' } }],
  ])('%s', (source, expected) => {
    expect(parseJaasConfig(source)).toEqual(expected);
  });

  test.each([
    ['', /class name/],
    ['a.B', /needs one of required/],
    ['a.B required', /end with ';'/],
    ['a.B required x="never closed;', /never closed/],
    ['a.B required x;', /without '='/],
    ['a.B required x=;', /no value for the option 'x'/],
    ['a.B required ="v";', /without a name/],
    ['a.B required; c.D required;', /exactly one/],
  ])('refuses %j', (source, message) => {
    expect(() => parseJaasConfig(source)).toThrow(message);
  });
});

const parse = (source: string): unknown => Object.fromEntries(parseJaasFile(source, (problem) => new Error(problem)));

test('a JAAS file: sections with login modules, comments and braces without blanks', () => {
  const source = `
    // for the REST API
    KafkaConnect{
      /* two
         modules */
      a.PropertyFile required file="/etc/users; {not} // a comment";
      a.Other sufficient;
    };
    "Kafka Client" { b.Plain optional user=x; };`;
  expect(parse(source)).toEqual({
    KafkaConnect: [
      { loginModule: 'a.PropertyFile', options: { file: '/etc/users; {not} // a comment' } },
      { loginModule: 'a.Other', options: {} },
    ],
    'Kafka Client': [{ loginModule: 'b.Plain', options: { user: 'x' } }],
  });
  expect(parse('')).toEqual({});
});

test.each([
  ['{', /must start with the name of a section/],
  ['A a.B required;', /needs '\{' after the name of the section A/],
  ['A {', /does not close the section A/],
  ['A { a.B required file="x"; }', /needs ';' after the '\}' of the section A/],
  ['A { a.B required file="x" };', /has an '\}' without a name before it/],
  ['A { a.B file="x"; };', /needs one of required/],
  ['A { }; A { };', /has the section A twice/],
  ['/* A', /comment that is never closed/],
])('a JAAS file: refuses %j', (source, message) => {
  expect(() => parse(source)).toThrow(message);
});
