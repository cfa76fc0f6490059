import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { replicaIdentities } from '../../../../connectors/postgres/src/config/replica-identities';
import { identitiesOf } from '../../../../connectors/postgres/src/startup/replica-identity';

const table = (name: string) => ({ schema: 'public', name });

test('replica.identity.autoset.values by table', () => {
  const rules = replicaIdentities('public.a.*:full, public.b:INDEX B_key,public.c:Nothing,.*\\.d:DEFAULT');
  const found = identitiesOf(rules, ['aa', 'b', 'c', 'd', 'e'].map(table));
  expect([...found].map(([{ name }, identity]) => [name, identity])).toEqual([
    ['aa', { kind: 'FULL' }],
    ['b', { kind: 'INDEX', index: 'B_key' }],
    ['c', { kind: 'NOTHING' }],
    ['d', { kind: 'DEFAULT' }],
  ]);
  expect(replicaIdentities(null)).toEqual([]);
});

test('two patterns for one table are an error that names them', () => {
  const rules = replicaIdentities('public.*:FULL,.*a:DEFAULT');
  expect(() => identitiesOf(rules, [table('a')])).toThrow(/matches table public\.a: public\.\*, \.\*a\./);
});

test.each([
  ['public.a', /expecting <pattern>:FULL/],
  ['public.a:INDEX', /expecting <pattern>:FULL/],
  ['public.a:SOME', /expecting <pattern>:FULL/],
  ['public.(:FULL', /valid regular expression/],
])('%s is rejected', (value, message) => {
  const { problems } = checkConfig({ 'replica.identity.autoset.values': value });
  const found = problems.find(({ key }) => key === 'replica.identity.autoset.values');
  expect(found?.message).toMatch(message);
});
