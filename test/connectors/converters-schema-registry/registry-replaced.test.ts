/** A registry that is replaced by an empty one, or loses a subject, while converters use it. */
import { convertWhenReady, schema, structSchema, type Converter, type Schema } from '@millrace/sdk';
import { avroConverter } from '../../../connectors/converters-schema-registry/src/avro';
import { startSchemaRegistry } from '../../../packages/schema-registry/src';
import { SmallRegistry } from './small-registry';

const INTERVAL_MS = 5 * 60_000;
const named = (name: string): Schema => structSchema([['a', schema('STRING')]], { name });
const [ORDER, CUSTOMER, OTHER] = ['shop.Order', 'shop.Customer', 'shop.Other'].map(named) as [Schema, Schema, Schema];

const converterAt = (url: string, config: Record<string, string> = {}): Converter => {
  const converter = avroConverter.create();
  converter.configure({ 'schema.registry.url': url, ...config }, false);
  return converter;
};
let consumers = 0;
/** With nothing in memory. */
const newConsumer = (url: string): Converter =>
  converterAt(url, { 'http.read.timeout.ms': String(50_000 + ++consumers) });

const written = async (converter: Converter, of: Schema, topic = 'orders'): Promise<Buffer> =>
  Buffer.from((await convertWhenReady(() => converter.fromConnectData(topic, of, { a: 'x' }))) as Uint8Array);
/** What a converter that does not wait writes. */
const writtenNow = (converter: Converter, of: Schema, topic = 'orders'): number =>
  idOf(Buffer.from(converter.fromConnectData(topic, of, { a: 'x' }) as Uint8Array));
const idOf = (bytes: Buffer): number => bytes.readInt32BE(1);
const nameOf = async (converter: Converter, bytes: Buffer): Promise<string | null | undefined> =>
  (await convertWhenReady(() => converter.toConnectData('orders', bytes))).schema?.name;

/** As real requests go on, and the clock does not. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 100_000) throw new Error('It does not happen.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether the converter has to ask again. */
function waits(convert: () => unknown): boolean {
  try {
    convert();
    return false;
  } catch {
    return true;
  }
}

beforeEach(() =>
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'Date', 'setInterval', 'clearInterval'],
  }),
);
afterEach(() => jest.useRealTimers());

describe('by an empty one at the same address', () => {
  let registry: Awaited<ReturnType<typeof startSchemaRegistry>>;
  let url: string;
  beforeEach(async () => {
    registry = await startSchemaRegistry({ port: 0 });
    ({ url } = registry);
  });
  afterEach(() => registry.close());

  async function replace(): Promise<void> {
    const { port } = registry;
    await registry.close();
    registry = await startSchemaRegistry({ port });
    // Ids start again.
    await written(newConsumer(url), OTHER, 'others');
  }

  test('records are written with the ids of the new one after five minutes', async () => {
    const converter = converterAt(url);
    const before = await written(converter, ORDER);
    expect(await nameOf(newConsumer(url), before)).toBe('shop.Order');
    await replace();
    // It is not noticed yet.
    expect(writtenNow(converter, ORDER)).toBe(idOf(before));
    expect(await nameOf(newConsumer(url), before)).toBe('shop.Other');
    jest.advanceTimersByTime(INTERVAL_MS);
    await until(() => waits(() => writtenNow(converter, ORDER)));
    const after = await written(converter, ORDER);
    expect(idOf(after)).not.toBe(idOf(before));
    expect(await nameOf(newConsumer(url), after)).toBe('shop.Order');
    expect(writtenNow(converter, ORDER)).toBe(idOf(after));
  });

  test('at once if a record had to wait for the registry', async () => {
    const converter = converterAt(url);
    const before = await written(converter, ORDER);
    jest.advanceTimersByTime(1_000);
    const { port } = registry;
    await registry.close();
    await expect(written(converter, CUSTOMER, 'customers')).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    // Records whose schema is known do not wait for a registry that is away.
    expect(writtenNow(converter, ORDER)).toBe(idOf(before));
    registry = await startSchemaRegistry({ port });
    const customer = await written(converter, CUSTOMER, 'customers');
    jest.advanceTimersByTime(0);
    await until(() => waits(() => writtenNow(converter, ORDER)));
    const order = await written(converter, ORDER);
    expect(idOf(order)).not.toBe(idOf(customer));
    expect(await nameOf(newConsumer(url), order)).toBe('shop.Order');
    expect(await nameOf(newConsumer(url), customer)).toBe('shop.Customer');
  });

  test('an id that is another schema now gets another reader', async () => {
    const converter = converterAt(url);
    const record = await written(newConsumer(url), ORDER);
    expect(await nameOf(converter, record)).toBe('shop.Order');
    await replace();
    expect(await nameOf(converter, record)).toBe('shop.Order');
    jest.advanceTimersByTime(INTERVAL_MS);
    await until(() => waits(() => converter.toConnectData('orders', record)));
    expect(await nameOf(converter, record)).toBe('shop.Other');
  });

  test.each([
    ['auto.register.schemas=false', {}, 'REGISTRY_UNKNOWN_SUBJECT'],
    ['use.latest.version', { 'use.latest.version': 'true' }, 'REGISTRY_UNKNOWN_SUBJECT'],
    ['use.schema.id', { 'use.schema.id': '1' }, 'REGISTRY_UNKNOWN_SCHEMA'],
  ])('%s: records fail until the schema is registered', async (_, config: Record<string, string>, code) => {
    const registering = converterAt(url);
    await written(registering, ORDER);
    const converter = converterAt(url, { 'auto.register.schemas': 'false', ...config });
    expect(idOf(await written(converter, ORDER))).toBe(1);
    const { port } = registry;
    await registry.close();
    registry = await startSchemaRegistry({ port });
    jest.advanceTimersByTime(INTERVAL_MS);
    await until(() => waits(() => writtenNow(converter, ORDER)));
    await expect(written(converter, ORDER)).rejects.toMatchObject({ code, retriable: false });
    await written(newConsumer(url), ORDER);
    // Refusals are remembered for ten seconds.
    jest.advanceTimersByTime(10_000);
    expect(idOf(await written(converter, ORDER))).toBe(1);
  });

  test('a subject that is deleted permanently is registered again by the next record, one deleted softly is not', async () => {
    const converter = converterAt(url);
    const before = await written(converter, ORDER);
    await written(converter, CUSTOMER, 'customers');
    for (const path of ['orders-value', 'customers-value', 'customers-value?permanent=true'])
      expect(await fetch(`${url}/subjects/${path}`, { method: 'DELETE' })).toMatchObject({ status: 200 });
    jest.advanceTimersByTime(INTERVAL_MS);
    // It is checked after the other one.
    await until(() => waits(() => writtenNow(converter, CUSTOMER, 'customers')));
    expect(writtenNow(converter, ORDER)).toBe(idOf(before));
    expect(await nameOf(newConsumer(url), before)).toBe('shop.Order');
    const after = await written(converter, CUSTOMER, 'customers');
    expect(await nameOf(newConsumer(url), after)).toBe('shop.Customer');
    const subjects = await fetch(`${url}/subjects`).then((reply) => reply.json());
    expect(subjects).toEqual(['customers-value']);
  });
});

describe('the requests', () => {
  let registry: SmallRegistry;
  beforeEach(async () => {
    registry = await SmallRegistry.start(() => ({ body: { id: 7, schema: '"string"' } }));
  });
  afterEach(() => registry.stop());

  test('one for each subject and schema that was used, whichever converters used it; also deleted ones count', async () => {
    const [one, two] = [converterAt(registry.url), converterAt(registry.url)];
    for (const converter of [one, two]) {
      await written(converter, ORDER);
      await written(converter, ORDER, 'others');
    }
    registry.asked.length = 0;
    jest.advanceTimersByTime(INTERVAL_MS);
    await until(() => registry.asked.length === 2);
    expect(registry.requests).toEqual([
      'POST /subjects/orders-value?deleted=true',
      'POST /subjects/others-value?deleted=true',
    ]);
    expect(registry.asked[0]?.body).toEqual({ schema: expect.stringContaining('"Order"') as string });
    writtenNow(one, ORDER);
    await until(() => registry.asked.length === 2);
  });

  test.each(['hang', 'reset', 'half'] as const)('an answer that is a %s: records go on with the id', async (reply) => {
    const converter = converterAt(registry.url);
    await written(converter, ORDER);
    registry.answering = () => reply;
    registry.asked.length = 0;
    jest.advanceTimersByTime(INTERVAL_MS);
    await until(() => registry.asked.length === 1);
    for (let i = 0; i < 10; i++) expect(writtenNow(converter, ORDER)).toBe(7);
    registry.answering = () => ({ body: { id: 8 } });
    await until(() => {
      // The answer's time passes, then the pause between rounds.
      jest.advanceTimersByTime(5_000);
      return waits(() => writtenNow(converter, ORDER));
    });
    expect(idOf(await written(converter, ORDER))).toBe(8);
  });

  test('at once if another address answers', async () => {
    const other = await SmallRegistry.start(() => ({ body: { id: 8 } }));
    const converter = converterAt(`${registry.url},${other.url}`);
    expect(idOf(await written(converter, ORDER))).toBe(7);
    jest.advanceTimersByTime(1_000);
    registry.answering = () => 'reset';
    expect(idOf(await written(converter, CUSTOMER, 'customers'))).toBe(8);
    jest.advanceTimersByTime(0);
    await until(() => waits(() => writtenNow(converter, ORDER)));
    expect(idOf(await written(converter, ORDER))).toBe(8);
    await other.stop();
  });

  test('a refusal says nothing', async () => {
    const converter = converterAt(registry.url);
    await written(converter, ORDER);
    registry.answering = () => ({ status: 403, body: { error_code: 40301, message: 'denied' } });
    for (let rounds = 1; rounds <= 3; rounds++) {
      registry.asked.length = 0;
      await until(() => {
        expect(writtenNow(converter, ORDER)).toBe(7);
        jest.advanceTimersByTime(INTERVAL_MS);
        return registry.asked.length > 0;
      });
    }
  });
});
