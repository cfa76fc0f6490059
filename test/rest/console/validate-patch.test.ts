/** `PUT /ui/api/connectors/NAME/config/validate` */
import type { SourceConnector } from '@millrace/sdk';
import request from 'supertest';
import { createAccess } from '../../../src/rest/auth/access';
import type { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import type { Validation } from '@millrace/console';
import { failedLogins } from '../../helpers/failed-logins';
import { builtIn, SRC } from '../../helpers/fake-plugins';
import { fakeWorker, type FakeWorkerOptions } from '../fake-worker';

const ODD = { name: 'odd', 'connector.class': 'OddConnector', secret: 'hunter2-long', 'tasks.max': '1' };
const access = createAccess({
  settings: { openPaths: [], roles: { reader: ['user:ro'], operator: [], admin: ['user:root'] } },
  login: { knows: () => true, accepts: (credentials: unknown) => credentials !== null } as unknown as PropertyFileLogin,
  bearer: null,
  failures: failedLogins(),
});
const as = (user: string): string => `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;

async function worker(options: FakeWorkerOptions = {}) {
  const found = fakeWorker(options);
  await found.herder.writes.createConnector('odd', ODD, null);
  await found.herder.writes.createConnector('plain', { ...SRC, name: 'plain' }, null);
  const validate = async (name: string, patch: object, user = 'root') => {
    const answer = await request(found.app)
      .put(`/ui/api/connectors/${name}/config/validate`)
      .set('Authorization', as(user))
      .send(patch);
    const { configs } = answer.body as Validation;
    const valueOf = (key: string) => configs?.find(({ value }) => value?.name === key)?.value;
    const { status, body } = answer as { status: number; body: unknown };
    return { status, body, valueOf, validation: body as Validation };
  };
  return { ...found, validate };
}

test('the stored config with the changed keys, its secrets hidden', async () => {
  const { validate } = await worker();
  const { status, validation, valueOf } = await validate('odd', { ratio: 'x', 'tasks.max': null });
  expect([status, validation.name, validation.error_count]).toEqual([200, 'OddConnector', 1]);
  expect(valueOf('secret')?.value).toBe('[hidden]');
  expect(valueOf('ratio')).toMatchObject({ value: null, errors: [expect.stringContaining('Not a number')] });
  expect(valueOf('tasks.max')?.value).not.toBe('1');
  expect(JSON.stringify(validation)).not.toContain('hunter2');
});

test('new secrets and their quotes in errors are hidden as well; so are default passwords', async () => {
  const { validate } = await worker();
  const { validation, valueOf } = await validate('odd', { pin: 'sw0rdfish-new', secret: null });
  expect(valueOf('pin')).toMatchObject({ value: '[hidden]' });
  expect(valueOf('pin')?.errors.length).toBeGreaterThan(0);
  expect(valueOf('secret')?.value).toBe('[hidden]');
  expect(JSON.stringify(validation)).not.toContain('sw0rdfish');
});

test('the mark of a hidden value is refused, without roles as well', async () => {
  for (const options of [{}, { access }]) {
    const { validate } = await worker(options);
    const { status, body } = await validate('odd', { secret: '[hidden]' });
    expect([status, (body as { message: string }).message]).toEqual([
      400,
      expect.stringContaining('The value of "secret" has the mark [hidden]'),
    ]);
  }
});

test('a reader may validate a config as it is, and changes that can send no secret anywhere', async () => {
  const { validate } = await worker({ access });
  expect((await validate('odd', {}, 'ro')).status).toBe(200);
  expect((await validate('plain', { file: '/x' }, 'ro')).status).toBe(200);
  for (const [name, patch] of [
    ['odd', { ratio: '1' }],
    ['plain', { file: '${file:/secrets:x}' }],
    ['plain', { 'api.password': 'x' }],
  ] as const) {
    const { status, body } = await validate(name, patch, 'ro');
    expect([status, (body as { message: string }).message]).toEqual([
      403,
      expect.stringContaining('can only be validated with the role admin'),
    ]);
  }
  expect((await validate('odd', { ratio: '1' })).status).toBe(200);
});

test('secrets of a stored config are secrets for another plugin as well', async () => {
  const withPin = (type: 'PASSWORD' | 'STRING'): SourceConnector => ({
    type: 'source',
    config: [{ name: 'pin', type, importance: 'HIGH', documentation: 'A pin.' }],
    createTask: () => {
      throw new Error('no task is started here');
    },
  });
  const plugins = [builtIn('org.example.Hides', withPin('PASSWORD')), builtIn('org.example.Shows', withPin('STRING'))];
  const { validate, herder } = await worker({ access, plugins });
  await herder.writes.createConnector('pinned', { name: 'pinned', 'connector.class': 'Hides', pin: '7391' }, null);
  const { status, body } = await validate('pinned', { 'connector.class': 'Shows' }, 'ro');
  expect(status).toBe(403);
  expect(JSON.stringify(body)).not.toContain('7391');
});

test('an unknown connector or class, and what is no patch', async () => {
  const { validate, app } = await worker();
  expect((await validate('none', {})).status).toBe(404);
  const { status, body } = await validate('odd', { 'connector.class': 'NoSuchConnector' });
  expect([status, (body as { message: string }).message]).toEqual([500, expect.stringContaining('NoSuchConnector')]);
  const list = await request(app)
    .put('/ui/api/connectors/odd/config/validate')
    .set('Content-Type', 'application/json')
    .send('[1]');
  expect(list.status).toBeGreaterThanOrEqual(400);
});
