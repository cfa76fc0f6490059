import { ConnectError, isConnectError, RetriableError, UnsupportedOperationError } from '@millrace/sdk';
import { ValidationError } from '../../../src/config/validation/validation-error';
import { copyError, errorFrom } from '../../../src/plugin-host/protocol/error-copy';
import { formatTrace, isWorthRestarting } from '../../../src/tasks/trace';

const across = (error: unknown): Error & { code?: string } => errorFrom(structuredClone(copyError(error)));

test.each<[string, Error]>([
  ['an error with causes', new Error('outer', { cause: new TypeError('inner', { cause: 'a text' }) })],
  ['one of the system', Object.assign(new Error('no'), { code: 'ECONNREFUSED' })],
  ['ours', new ConnectError('m', { code: 'X_Y', place: { key: 'k', lsn: 5n }, cause: new Error('c') })],
  ['one that may be tried again', new RetriableError('later')],
  ['one whose work may be started again', new ConnectError('gone', { restartable: true })],
  ['a refusal', new UnsupportedOperationError('never')],
])('%s has the same trace on the other side', (_, error) => {
  const copy = across(error);
  expect(formatTrace(copy, null)).toBe(formatTrace(error, null));
  expect([isWorthRestarting(copy), isConnectError(copy), copy.name]).toEqual([
    isWorthRestarting(error),
    isConnectError(error),
    error.name,
  ]);
});

test('an error of validation keeps its status and Java’s class', () => {
  const copy = across(new ValidationError(404, 'Unknown plugin x.', { javaClass: 'a.B' }));
  expect(copy).toBeInstanceOf(ValidationError);
  expect(copy).toMatchObject({ status: 404, javaClass: 'a.B', message: 'Unknown plugin x.' });
});

test.each([
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [{ message: 7 }, '[object Object]'],
])('a value that is not an error (%p) becomes one', (thrown, message) => expect(across(thrown).message).toBe(message));

test('a circle of causes ends', () => {
  const error = new Error('a');
  error.cause = error;
  expect(across(error).message).toBe('a');
});
