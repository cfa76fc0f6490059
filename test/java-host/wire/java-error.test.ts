import { ConfigError, ConnectError, DataError, RetriableError } from '../../../packages/sdk/src';
import { errorValue, javaError } from '../../../packages/java-host/src/wire/java-error';
import { formatTrace, isWorthRestarting } from '../../../src/tasks/trace';

const trace = [
  'org.postgresql.util.PSQLException: no\n\tat my.Message(it looks like a frame)',
  '\tat a.B.c(B.java:1)',
  '\tat java.base/java.lang.Thread.run(Thread.java:840)',
  'Caused by: java.io.IOException: closed',
  '\tat d.E.f(E.java:2)',
  '\t... 1 more',
  '',
].join('\n');

const thrown = {
  class: 'org.postgresql.util.PSQLException',
  message: 'no\n\tat my.Message(it looks like a frame)',
  kind: 'other',
  trace,
  cause: {
    class: 'java.io.IOException',
    message: 'closed',
    kind: 'other',
    trace: '',
    cause: null,
  },
};

describe('exceptions of Java', () => {
  it("have Java's class, message and stack in the trace of a task", () => {
    expect(formatTrace(javaError(thrown), 'c')).toBe(
      [
        'org.postgresql.util.PSQLException: no\n\tat my.Message(it looks like a frame)',
        '\tat a.B.c(B.java:1)',
        '\tat java.base/java.lang.Thread.run(Thread.java:840)',
        'Caused by: java.io.IOException: closed',
        '\tat d.E.f(E.java:2)',
        '\t... 1 more',
        '',
      ].join('\n'),
    );
  });

  it('without a message show their class once', () => {
    const error = javaError({
      class: 'java.lang.NullPointerException',
      message: null,
      kind: 'other',
      trace: 'java.lang.NullPointerException\n\tat a.B.c(B.java:1)\n',
      cause: null,
    });
    expect(formatTrace(error, 'c')).toBe('java.lang.NullPointerException\n\tat a.B.c(B.java:1)\n');
    expect(error.message).toBe('java.lang.NullPointerException');
  });

  it('have the code of the host, if it is its own', () => {
    const own = { ...thrown, code: 'JAVA_TOO_LARGE', kind: 'data', cause: null };
    expect(javaError(own)).toMatchObject({ code: 'JAVA_TOO_LARGE', retriable: false, restartable: false });
    expect(javaError(thrown).code).toBe('CONNECT_ERROR');
  });

  it.each([
    ['retriable', true, true],
    ['config', false, false],
    ['data', false, false],
    ['connect', false, true],
    ['other', false, true],
  ])('of the kind %s', (kind, retriable, restartable) => {
    const error = javaError({ class: 'a.B', message: 'm', kind, trace: '', cause: null });
    expect([error.retriable, isWorthRestarting(error)]).toEqual([retriable, restartable]);
  });

  it.each([
    ['config', false],
    ['data', false],
    ['retriable', true],
    ['other', true],
  ])('that wrap one of the kind %s', (kind, restartable) => {
    const cause = { class: 'c.D', message: 'm', kind, trace: '', cause: null };
    const middle = { class: 'a.B', message: 'm', kind: 'other', trace: '', cause };
    expect(javaError({ ...middle, kind: 'connect', cause: middle }).restartable).toBe(restartable);
  });

  it('that are no errors become some', () => {
    expect(javaError(null).javaClass).toBe('org.apache.kafka.connect.errors.ConnectException');
    expect(javaError([1]).message).toContain('without a class');
    expect(javaError({ class: 'a.B', message: 1, kind: 2, trace: 3, cause: 4 }).message).toBe('a.B');
  });

  it('stop after ten causes', () => {
    let value: Record<string, never> = { class: 'a.B', message: 'm' } as never;
    for (let i = 0; i < 50; i++) value = { class: 'a.B', message: 'm', cause: value } as never;
    let depth = 0;
    for (let error: unknown = javaError(value); error; error = (error as Error).cause) depth++;
    expect(depth).toBe(10);
  });

  it('go back with the class, the kind and the causes they came with', () => {
    expect(errorValue(javaError(thrown))).toMatchObject({
      class: 'org.postgresql.util.PSQLException',
      kind: 'other',
      cause: { class: 'java.io.IOException', message: 'closed', cause: null },
    });
    expect(errorValue(new RetriableError('r'))).toMatchObject({ kind: 'retriable', message: 'r' });
    expect(errorValue(new ConfigError('c'))).toMatchObject({ kind: 'config' });
    expect(errorValue(new DataError('d'))).toMatchObject({ kind: 'data' });
    expect(errorValue(new ConnectError('x'))).toMatchObject({ kind: 'connect' });
    expect(errorValue('text')).toMatchObject({ kind: 'other', message: 'text', trace: '', cause: null });
  });
});
