/** Settings of a source that this worker rejects. */
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { unknownEntry } from '../../../src/config/validation/entry';
import { checkSourcePromises, type SourcePromises } from '../../../src/config/validation/source-rules';
import { ValidationError } from '../../../src/config/validation/validation-error';
import { fakeRegistry, fakeWorkerConfig, SRC } from '../../helpers/fake-plugins';

async function errors(more: Record<string, string>): Promise<Record<string, readonly string[]>> {
  const config = fakeWorkerConfig({});
  const infos = await createConfigValidator({ registry: fakeRegistry(), config }).validate({
    ...SRC,
    name: 'a',
    ...more,
  });
  return Object.fromEntries(
    infos.configs.flatMap(({ value }) => (value && value.errors.length > 0 ? [[value.name, value.errors]] : [])),
  );
}

const KEY = 'exactly.once.support';
const NO_API =
  'The connector does not implement the API required for preflight validation of exactly-once source support. Please consult the documentation for the connector to determine whether it supports exactly-once semantics, and then consider reconfiguring the connector to use the value "requested" for this property (which will disable this preflight check and allow the connector to be created).';
const UNSUPPORTED = 'The connector does not support exactly-once semantics with the provided configuration.';
const DISABLED = 'This worker does not have exactly-once source support enabled.';
const NO_BOUNDARIES =
  'The connector does not support connector-defined transaction boundaries with the given configuration. Please reconfigure it to use a different transaction boundary definition.';

test('connect-runtime 89: exactly.once.support=required on a worker without exactly-once', async () => {
  const expected = { [KEY]: [DISABLED, NO_API] };
  expect(await errors({ [KEY]: 'required' })).toEqual(expected);
  expect(await errors({ [KEY]: 'REQUIRED' })).toEqual(expected);
  expect(await errors({ [KEY]: 'requested' })).toEqual({});
});

describe('connect-runtime 89: the answers of a connector', () => {
  let logged: [line: string, error: unknown][];
  beforeEach(() => (logged = []));
  /** Messages for a connector with these methods, on a worker with exactly-once sources. */
  async function messages(
    connector: SourcePromises['connector'],
    config: Record<string, string>,
    promises: Partial<SourcePromises> = {},
  ): Promise<readonly string[]> {
    const [key] = Object.keys(config) as [string];
    const entry = { ...unknownEntry(key, null, []) };
    await checkSourcePromises(new Map([[key, entry]]), config, {
      connector,
      isEnabled: true,
      call: async (_, run) => await run(),
      logger: { error: (line, fields) => void logged.push([line, (fields as { error?: unknown }).error]) },
      hidden: (error) => error,
      ...promises,
    });
    return entry.errors;
  }
  const required = { [KEY]: 'required' };
  const boundary = { 'transaction.boundary': 'Connector' };
  const fails = (message: string) => (): never => {
    throw new Error(message);
  };
  const SEE_LOGS = 'An unexpected error occurred during validation; please see the worker logs for more details.';

  test.each([
    ['supported', { exactlyOnceSupport: () => 'supported' }, []],
    ['unsupported', { exactlyOnceSupport: async () => 'unsupported' }, [UNSUPPORTED]],
    ['null', { exactlyOnceSupport: () => null }, [NO_API]],
    ['none', {}, [NO_API]],
    [
      'another',
      { exactlyOnceSupport: () => true },
      [
        'An unexpected error occurred during validation: Unexpected value returned from SourceConnector::exactlyOnceSupport: true',
      ],
    ],
    [
      'an error',
      { exactlyOnceSupport: fails(' no such slot ') },
      ['An unexpected error occurred during validation: no such slot'],
    ],
    ['an error without a message', { exactlyOnceSupport: fails('') }, [SEE_LOGS]],
    ['an error whose message is blank', { exactlyOnceSupport: fails(' \n') }, [SEE_LOGS]],
    ['a rejection without a reason', { exactlyOnceSupport: async () => await Promise.reject() }, [SEE_LOGS]],
  ])('about exactly-once: %s', async (_, connector, expected) => {
    expect(await messages(connector as SourcePromises['connector'], required)).toEqual(expected);
    expect(await messages(connector as SourcePromises['connector'], { [KEY]: 'requested' })).toEqual([]);
    const disabled = await messages(connector as SourcePromises['connector'], required, { isEnabled: false });
    expect(disabled).toEqual([DISABLED, ...expected]);
  });

  test.each([
    ['supported', { canDefineTransactionBoundaries: () => 'supported' }, []],
    ['unsupported', { canDefineTransactionBoundaries: () => 'unsupported' }, [NO_BOUNDARIES]],
    ['none', {}, [NO_BOUNDARIES]],
    [
      'null',
      { canDefineTransactionBoundaries: () => null },
      [
        "This connector has returned a null value from its canDefineTransactionBoundaries method, which is not permitted. The connector will be treated as if it cannot define its own transaction boundaries, and cannot be configured with 'transaction.boundary' set to 'connector'.",
      ],
    ],
    [
      'an error',
      { canDefineTransactionBoundaries: fails('why') },
      ['An unexpected error occurred during validation: why'],
    ],
    ['an error without a message', { canDefineTransactionBoundaries: fails('') }, [SEE_LOGS]],
  ])('about transaction boundaries: %s', async (_, connector, expected) => {
    expect(await messages(connector as SourcePromises['connector'], boundary)).toEqual(expected);
    expect(await messages(connector as SourcePromises['connector'], { 'transaction.boundary': 'poll' })).toEqual([]);
  });

  test('an error is logged, whose cause and place the answer lacks', async () => {
    const error = new TypeError();
    const connector = { exactlyOnceSupport: () => Promise.reject(error) };
    await messages(connector, required);
    await messages({ canDefineTransactionBoundaries: connector.exactlyOnceSupport }, boundary);
    expect(logged).toEqual([
      ['Failed while validating connector support for exactly-once semantics', error],
      ['Failed while validating connector support for defining its own transaction boundaries', error],
    ]);
  });

  test('an answer that takes too long ends the validation', async () => {
    const late = new ValidationError(500, 'Request timed out.');
    await expect(messages({}, required, { call: async () => await Promise.reject(late) })).rejects.toBe(late);
  });
});

test('transaction boundaries that the connector would define', async () => {
  expect(await errors({ 'transaction.boundary': 'connector' })).toEqual({ 'transaction.boundary': [NO_BOUNDARIES] });
});

test('connect-runtime 79: an offsets topic of its own', async () => {
  for (const topic of ['mine', fakeWorkerConfig({}).offset.topic])
    expect(await errors({ 'offsets.storage.topic': topic })).toEqual({});
});
