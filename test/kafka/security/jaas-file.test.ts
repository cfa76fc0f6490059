import { parseJaasFile } from '../../../packages/kafka-client/src/security/jaas-file';

const parse = (source: string): unknown => Object.fromEntries(parseJaasFile(source, (problem) => new Error(problem)));

test('sections with login modules, comments and braces without blanks', () => {
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
])('refuses %j', (source, message) => {
  expect(() => parse(source)).toThrow(message);
});
