/** Validation while a config is typed: one request at a time, of the newest config. */
import { LatestOnly } from '../../packages/console/src/config-form/latest-only';

test('a waiting call is replaced by a newer one, and only the newest result is reported', async () => {
  const started: string[] = [];
  const reported: unknown[] = [];
  const finish: (() => void)[] = [];
  const isDone = new Promise<void>((done) => {
    const queue = new LatestOnly<string, string>(
      (input) => {
        started.push(input);
        return new Promise((resolve) => finish.push(() => resolve(`${input}!`)));
      },
      (input, outcome) => {
        reported.push([input, outcome]);
        done();
      },
    );
    for (const input of ['a', 'b', 'c']) queue.submit(input);
  });
  expect(started).toEqual(['a']);
  finish[0]!();
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'c']);
  expect(reported).toEqual([]);
  finish[1]!();
  await isDone;
  expect(reported).toEqual([['c', { value: 'c!' }]]);
});

test('a failure is reported, and the next input is run', async () => {
  const reported: unknown[] = [];
  const queue = new LatestOnly<string, string>(
    (input) => (input === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(input)),
    (_, outcome) => reported.push('error' in outcome ? outcome.error.message : outcome.value),
  );
  queue.submit('bad');
  await new Promise(setImmediate);
  queue.submit('good');
  await new Promise(setImmediate);
  expect(reported).toEqual(['no', 'good']);
});

test('nothing is reported after the end', async () => {
  const reported: unknown[] = [];
  const queue = new LatestOnly<string, string>(
    (input) => Promise.resolve(input),
    (input) => reported.push(input),
  );
  queue.submit('a');
  queue.submit('b');
  queue.stop();
  await new Promise(setImmediate);
  expect(reported).toEqual([]);
});
