import type { ConnectRecord, Predicate, SourceRecord, Transformation } from '@millrace/sdk';
import { StepFailure, TransformationChain, type ChainStep } from '../../src/transforms/chain';

const RECORD: SourceRecord = {
  sourcePartition: null,
  sourceOffset: null,
  topic: 't',
  keySchema: null,
  key: null,
  valueSchema: null,
  value: 'v',
};
/** Appends its letter to the value. */
const append = (letter: string): Transformation => ({
  configure: () => undefined,
  apply: (record) => ({ ...record, value: `${String(record.value)}${letter}` }),
});
const drop: Transformation = { configure: () => undefined, apply: () => null };
const holds = (answer: unknown): Predicate => ({ configure: () => undefined, test: () => answer as boolean });
const step = (transformation: Transformation, over: Partial<ChainStep> = {}): ChainStep => ({
  transformation,
  className: 'com.acme.T',
  predicate: null,
  negate: false,
  ...over,
});
const valueOf = (record: ConnectRecord | null): unknown => record?.value ?? null;

test('connect-runtime 105: transformations are applied in order, to a copy', () => {
  const chain = new TransformationChain([step(append('a')), step(append('b')), step(append('c'))]);
  expect(valueOf(chain.apply(RECORD))).toBe('vabc');
  expect(RECORD.value).toBe('v');
});

test('connect-runtime 105: null ends the chain and drops the record', () => {
  const apply = jest.fn();
  const chain = new TransformationChain([step(append('a')), step(drop), step({ configure: () => undefined, apply })]);
  expect(chain.apply(RECORD)).toBeNull();
  expect(apply).not.toHaveBeenCalled();
});

test.each([
  [true, false, 'va'],
  [false, false, 'v'],
  [true, true, 'v'],
  [false, true, 'va'],
  // Untyped plugins may return any truthy value.
  [1, false, 'va'],
  [undefined, true, 'va'],
])('connect-runtime 106: a predicate that says %p, negate %p', (answer, negate, expected) => {
  const chain = new TransformationChain([step(append('a'), { predicate: holds(answer), negate })]);
  expect(valueOf(chain.apply(RECORD))).toBe(expected);
});

test('an error of a step has the step and its input record; the chain can resume after it', () => {
  const bad = new Error('bad');
  const failing: Transformation = {
    configure: () => undefined,
    apply: () => {
      throw bad;
    },
  };
  const chain = new TransformationChain([step(append('a')), step(failing, { className: 'F' }), step(append('c'))]);
  let failure: unknown;
  try {
    chain.apply(RECORD);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(StepFailure);
  expect(failure).toMatchObject({ step: 1, record: { value: 'va' }, cause: bad });
  expect(chain.classOf(1)).toBe('F');
  expect(valueOf(chain.apply((failure as StepFailure).record, 2))).toBe('vac');
});

test.each([[undefined], [Promise.resolve(RECORD)], [{}], [1]])('an apply() that returns %p is reported', (returned) => {
  const wrong = { configure: () => undefined, apply: () => returned } as unknown as Transformation;
  const chain = new TransformationChain([step(wrong)]);
  expect(() => chain.applyStep(RECORD, 0)).toThrow('apply() of com.acme.T returned neither a record nor null.');
});

test('close reaches every step, whichever throws', () => {
  const closed: string[] = [];
  const closing = (name: string, error?: Error): (() => void) => {
    return () => {
      closed.push(name);
      if (error) throw error;
    };
  };
  const error = new Error('no');
  const chain = new TransformationChain([
    step({ ...append('a'), close: closing('a', error) }, { predicate: { ...holds(true), close: closing('p', error) } }),
    step(append('b')),
    step({ ...append('c'), close: closing('c') }),
  ]);
  expect(chain.close()).toEqual([error, error]);
  expect(closed).toEqual(['a', 'p', 'c']);
});
