import { parseJaasConfig } from '../../../packages/kafka-client/src/security/jaas';

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
