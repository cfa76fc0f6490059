/** `millrace patch` against a scripted worker. */
import { readPatch } from '../../../packages/cli/src/verbs/patch';
import { cli, entry, serve } from '../scripted-rest';

interface Scripted {
  readonly url: string;
  /** Requests that change something. */
  readonly changes: string[];
}

async function worker(state = 'RUNNING', hasPatch = true): Promise<Scripted> {
  const changes: string[] = [];
  const url = await serve((request, response, body) => {
    if (request === 'GET /connectors/a/config')
      return { 'connector.class': 'Sink', topics: 't', 'db.password': 'old', name: 'a' };
    if (request === 'GET /connectors?expand=status') return Object.fromEntries([entry('a', 'RUNNING', state)]);
    if (!request.endsWith('/connectors/a/config')) return undefined;
    changes.push(`${request} ${body}`);
    if (request.startsWith('PATCH') && !hasPatch)
      return response.writeHead(405).end('{"message":"HTTP 405 Method Not Allowed"}');
    return {};
  });
  return { url, changes };
}

test('patch shows the difference without secrets, sends only the changes, and waits', async () => {
  const { url, changes } = await worker();
  const { code, out, err } = await cli(url, 'patch', 'a', 'tasks.max=2', 'topics-', 'db.password=new');
  expect(out).toBe('a:\n  ~ db.password: [hidden] (changed)\n  + tasks.max: 2\n  - topics: t\n');
  expect({ code, err }).toEqual({ code: 0, err: 'a: running\n' });
  expect(changes).toEqual(['PATCH /connectors/a/config {"tasks.max":"2","topics":null,"db.password":"new"}']);
});

test('a worker without PATCH gets the whole config', async () => {
  const { url, changes } = await worker('RUNNING', false);
  expect((await cli(url, 'patch', 'a', 'tasks.max=2', 'topics-', '--no-wait')).code).toBe(0);
  expect(changes.at(-1)).toBe(
    'PUT /connectors/a/config {"connector.class":"Sink","db.password":"old","name":"a","tasks.max":"2"}',
  );
});

test('no difference, or a dry run: nothing is sent', async () => {
  const { url, changes } = await worker();
  expect((await cli(url, 'patch', 'a', 'topics=t', 'absent-')).out).toBe('a: unchanged\n');
  const dry = await cli(url, 'patch', 'a', '-p', '{"topics": null, "tasks.max": "3"}', '--dry-run', '-o', 'json');
  expect(JSON.parse(dry.out)).toEqual({
    name: 'a',
    changes: [
      { key: 'tasks.max', to: '3' },
      { key: 'topics', from: 't' },
    ],
  });
  expect(changes).toEqual([]);
});

test('a task that does not run afterwards: the reason, exit code 1', async () => {
  const { url } = await worker('UNASSIGNED');
  const { code, err } = await cli(url, 'patch', 'a', 'tasks.max=2', '--timeout', '1');
  expect({ code, err }).toEqual({ code: 1, err: 'a: task 0 is UNASSIGNED\n' });
});

test('an unknown connector', async () => {
  const { url } = await worker();
  expect(await cli(url, 'patch', 'b', 'x=1')).toMatchObject({ code: 4, out: '' });
});

test.each<[string[], string | undefined, unknown]>([
  [['a=b=c', 'd=', 'e-'], undefined, { a: 'b=c', d: '', e: null }],
  [['a=2'], '{"a": "1", "b": 2, "c": null}', { a: '2', b: '2', c: null }],
  [['__proto__=x'], undefined, Object.fromEntries([['__proto__', 'x']])],
])('changes %j %j', (words, mapping, expected) => {
  expect(readPatch(words, mapping)).toEqual(expected);
});

test.each<[string[], string | undefined, string]>([
  [[], undefined, 'Specify what to change'],
  [['a'], undefined, '"a" is neither key=value nor key-.'],
  [['=b'], undefined, '"=b" is neither key=value nor key-.'],
  [['-'], undefined, '"-" is neither key=value nor key-.'],
  [[], '[', '--patch is not valid: '],
  [[], '[]', '--patch must be a mapping'],
  [[], '{"a": {}}', '"a" of --patch must be a text or null.'],
])('wrong changes %j %j', (words, mapping, reason) => {
  expect(() => readPatch(words, mapping)).toThrow(reason);
});
