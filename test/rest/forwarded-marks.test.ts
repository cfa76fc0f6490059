import { FakeHerder, fakeRegistry, fakeWorkerConfig } from './fake-worker';
import { createConfigValidator } from '../../src/config/validation/connector-validator';
import { forwardedMarks } from '../../src/rest/routers/forwarded-marks';
import type { IncomingMessage } from 'node:http';

const registry = fakeRegistry();
const herder = new FakeHerder(createConfigValidator({ registry, config: fakeWorkerConfig() }), registry);
const REQUEST = { method: 'PUT', path: '/connectors/a/stop', authorization: 'Basic x' };
const received = (headers: Record<string, string | string[]>): IncomingMessage =>
  ({ method: 'PUT', headers: { authorization: 'Basic x', ...headers } }) as unknown as IncomingMessage;
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

test('a request that another worker has forwarded is recognized', () => {
  const marks = forwardedMarks(() => herder);
  const headers = lowerCase(marks.mark(REQUEST));
  expect(marks.isForwarded(received(headers), REQUEST.path)).toBe(true);
  expect(marks.isForwarded(received(headers), '/connectors/b/stop')).toBe(false);
  expect(marks.isForwarded(received({}), REQUEST.path)).toBe(false);
  expect(marks.isForwarded(received({ 'x-millrace-forwarded': 'true' }), REQUEST.path)).toBe(false);
});

test('without a session key nothing is marked, and no mark is believed', () => {
  const headers = lowerCase(forwardedMarks(() => herder).mark(REQUEST));
  const marks = forwardedMarks(() => null);
  expect(marks.mark(REQUEST)).toEqual({});
  expect(marks.isForwarded(received(headers), REQUEST.path)).toBe(false);
});
