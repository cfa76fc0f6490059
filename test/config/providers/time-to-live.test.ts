import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfigResolver } from '../../../src/config/providers/config-resolver';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-ttl-'));
  writeFileSync(join(folder, 'db.properties'), 'password=p\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const resolver = (params: Record<string, string>): ReturnType<typeof createConfigResolver> =>
  createConfigResolver({
    settings: {
      'config.providers': 'file,dir,env',
      'config.providers.file.class': 'FileConfigProvider',
      'config.providers.dir.class': 'DirectoryConfigProvider',
      'config.providers.env.class': 'EnvVarConfigProvider',
      ...params,
    },
    env: { USER_NAME: 'u' },
    warn: () => undefined,
  });

test('connect-runtime 108: providers whose values are used return their time to live', async () => {
  const resolve = resolver({
    'config.providers.file.param.ttl.ms': '5000',
    'config.providers.dir.param.ttl.ms': ' 700 ',
  });
  const times = async (values: Record<string, string>): Promise<number[]> => {
    const heard: number[] = [];
    await resolve.resolve(values, { expires: (ms) => heard.push(ms) });
    return heard;
  };
  const file = `\${file:${folder}/db.properties:password}`;
  expect(await times({ a: file, b: `x${file}` })).toEqual([5000]);
  expect(await times({ a: file, b: `\${dir:${folder}:db.properties}` })).toEqual([5000, 700]);
  expect(await times({ a: 'plain', b: '${env:USER_NAME}' })).toEqual([]);
});

test('connect-runtime 108: as in Java, the built-in providers return no time to live by default', async () => {
  const heard: number[] = [];
  await resolver({}).resolve({ a: `\${file:${folder}/db.properties:password}` }, { expires: (ms) => heard.push(ms) });
  expect(heard).toEqual([]);
});

test.each(['0', '-1', 'soon', '1.5'])('ttl.ms=%s is rejected when the worker starts', (text) => {
  expect(() => resolver({ 'config.providers.file.param.ttl.ms': text })).toThrow(
    expect.objectContaining({ code: 'CONFIG_PROVIDER_INVALID', message: expect.stringContaining(text) }),
  );
});
