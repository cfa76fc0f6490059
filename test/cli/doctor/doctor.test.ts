import type { Report } from '../../../src/cli/verbs/doctor/report';
import { cli, serve } from '../scripted-rest';

test.each([
  ['an object', { a: {}, b: { info: { config: { 'connector.class': 'X' } } } }],
  ['a list', ['a']],
  ['a page', '<html>'],
])('something that answers everything with %s is no worker, and has no connectors', async (_, answer) => {
  const { code, out } = await cli(await serve(() => answer), 'doctor', '--deadline', '30', '-o', 'json');
  const { checked, findings } = JSON.parse(out) as Report;
  const found = findings.map(({ severity, code: of }) => `${severity} ${of}`);
  expect(found).toEqual(['error REST_REPLY_INVALID', 'unchecked KAFKA_NOT_CHECKED']);
  expect(checked).toEqual([]);
  expect(code).toBe(3);
});
