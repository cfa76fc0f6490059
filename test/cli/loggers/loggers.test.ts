import { cli, serve } from '../scripted-rest';

test('set prints the affected loggers', async () => {
  const requests: string[] = [];
  const url = await serve((request) => (requests.push(request), ['b', 'a']));
  expect(await cli(url, 'loggers', 'set', 'a b/c', 'debug')).toEqual({
    code: 0,
    out: 'NAME  LEVEL\na     DEBUG\nb     DEBUG\n',
    err: '',
  });
  expect(requests).toEqual(['PUT /admin/loggers/a%20b%2Fc']);
  const json = await cli(url, 'loggers', 'set', 'a', 'DEBUG', '-o', 'json');
  expect(JSON.parse(json.out)).toEqual({ level: 'DEBUG', scope: 'worker', worker: url, loggers: ['a', 'b'] });
});

test('--cluster; a worker that is too old for it', async () => {
  const url = await serve((request, response) =>
    request.endsWith('?scope=cluster') ? response.writeHead(204).end() : undefined,
  );
  expect(await cli(url, 'loggers', 'set', 'root', 'WARN', '--cluster')).toEqual({
    code: 0,
    out: 'root and the loggers below it set to WARN on all workers\n',
    err: '',
  });
  const old = await cli(await serve(() => ['root']), 'loggers', 'set', 'root', 'WARN', '--cluster');
  expect(old).toMatchObject({ code: 1, err: expect.stringContaining('older than Kafka 3.7') });
});

test('an unknown level is not sent; a reply of something else', async () => {
  let requests = 0;
  const url = await serve(() => (requests++, { a: 1 }));
  expect(await cli(url, 'loggers', 'set', 'root', 'LOUD')).toMatchObject({
    code: 2,
    err: expect.stringContaining('"LOUD" is not a log level'),
  });
  expect(requests).toBe(0);
  expect((await cli(url, 'loggers', 'set', 'root', 'INFO')).err).toContain('(REST_REPLY_INVALID)');
});
