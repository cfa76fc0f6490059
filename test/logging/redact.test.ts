import { redact, redactText } from '../../packages/texts/src/redact';

describe('redaction', () => {
  test('secrets by name, at any depth', () => {
    expect(
      redact({
        'database.password': 'x',
        config: { 'sasl.jaas.config': 'x', 'ssl.keystore.key': 'x', apiKey: 'x', client_secret: 'x', topics: 't' },
        list: [{ accessToken: 'x' }],
        key: 'x',
        keys: 3,
        monkey: 'm',
        keyConverter: 'k',
        password: null,
      }),
    ).toEqual({
      'database.password': '[hidden]',
      config: {
        'sasl.jaas.config': '[hidden]',
        'ssl.keystore.key': '[hidden]',
        apiKey: '[hidden]',
        client_secret: '[hidden]',
        topics: 't',
      },
      list: [{ accessToken: '[hidden]' }],
      key: '[hidden]',
      keys: '[hidden]',
      monkey: 'm',
      keyConverter: 'k',
      password: null,
    });
  });

  test.each([
    ['Login with password=abc failed', 'Login with password=[hidden] failed'],
    [
      'PlainLoginModule required username="u" password="a\\"b;c";',
      'PlainLoginModule required username="u" password=[hidden];',
    ],
    ['{"password":"x","a":1}', '{"password":[hidden],"a":1}'],
    ['Endpoint=sb://h/;SharedAccessKey=abc=;X=1', 'Endpoint=sb://h/;SharedAccessKey=[hidden];X=1'],
    ['postgres://u:p@h:5432/d refused', 'postgres://u:[hidden]@h:5432/d refused'],
    ['wrong password for user u', 'wrong password for user u'],
    ['http://host:8083/ is up', 'http://host:8083/ is up'],
  ])('in text: %s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  test('values that JSON cannot represent', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(JSON.stringify(redact(circular))).toContain('…');
    expect(redact({ n: 1n, d: new Date(0), b: Buffer.from('abc'), f: () => 1, m: new Map([['a', 1n]]) })).toEqual({
      n: '1',
      d: '1970-01-01T00:00:00.000Z',
      b: '[3 bytes]',
      f: undefined,
      m: { a: '1' },
    });
  });
});
