import type { ConfigKey } from '@millrace/sdk';
import { checkKey } from '../../../src/config/validation/entry';

test.each([
  ['p.', '{"a":"1","b":"2"}'],
  ['', '{"p.a":"1","p.b":"2","a":"3"}'],
])('connect-rest §3: a validator receives the config that its plugin receives: prefix "%s"', (prefix, expected) => {
  let received: unknown;
  const key: ConfigKey = {
    name: 'a',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    documentation: '',
    validator: (_, config) => {
      received = config;
      return null;
    },
  };
  expect(checkKey(key, { 'p.a': '1', 'p.b': '2', a: '3', n: null }, { prefix }).errors).toEqual([]);
  expect(JSON.stringify(received)).toBe(expected);
});
