import { basicCredentials } from '../../../src/rest/auth/basic-credentials';

const encoded = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64');

test.each([
  [`Basic ${encoded('alice:secret')}`, 'alice', 'secret'],
  [`bAsIc ${encoded('alice:secret')}`, 'alice', 'secret'],
  [`Basic ${encoded('alice:secret1').replace(/=+$/, '')}`, 'alice', 'secret1'],
  [`Basic ${encoded('bob:with:colon')}`, 'bob', 'with:colon'],
  [`Basic ${encoded('empty:')}`, 'empty', ''],
  [`Basic ${encoded('umläut:päss')}`, 'umläut', 'päss'],
])('%s', (header, user, password) => {
  expect(basicCredentials(header)).toEqual({ user, password });
});

test.each([
  undefined,
  '',
  'Basic',
  'Basic ',
  ' Basic x',
  'Bearer abc',
  `Basic  ${encoded('alice:secret')}`,
  `Basic\t${encoded('alice:secret')}`,
  'Basic !!!',
  'Basic YWxp_-==',
  'Basic YWxpY2U6c2VjcmV0=',
  'Basic YWxpY',
  `Basic ${encoded('alice')}`,
  `Basic ${encoded(':secret')}`,
  `Basic ${'='.repeat(10_000)}`,
])('%s has no credentials', (header) => {
  expect(basicCredentials(header)).toBeNull();
});
