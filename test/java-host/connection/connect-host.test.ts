import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ConnectError } from '../../../packages/sdk/src';
import { connectHost } from '../../../packages/java-host/src/connection/connect-host';
import { ScriptedHost } from '../scripted-host';

let host: ScriptedHost;
afterEach(() => host.close());

/** For a thread: `code` has a session. */
function program({ path }: ScriptedHost, code: string): string {
  const register = JSON.stringify(require.resolve('../../../dev/register.js'));
  const module = JSON.stringify(require.resolve('../../../packages/java-host/src/connection/connect-host.ts'));
  return `require(${register});
    require(${module}).connectHost(${JSON.stringify(path)}, {}).then((session) => { ${code} });`;
}

const exception = { class: 'a.B', message: 'no', kind: 'retriable', trace: '', cause: null };

describe('a connection to the Java host', () => {
  it('opens a session with the first frame', async () => {
    host = await ScriptedHost.start({ open: (map) => ({ echoed: map }) });
    const { session, peer } = await host.session({ kind: 'plugins' });
    expect(session.opened).toMatchObject({ echoed: { kind: 'plugins' } });
    expect(peer.requests('open')[0]?.args).toHaveLength(1);
  });

  it("rejects with the host's error, and closes", async () => {
    host = await ScriptedHost.start({ open: () => Promise.reject(exception as never) });
    await expect(connectHost(host.path, {})).rejects.toMatchObject({
      javaClass: 'a.B',
      message: 'no',
      retriable: true,
    });
    await host.peer(0).closed;
  });

  it('rejects where nothing listens', async () => {
    host = await ScriptedHost.start();
    await expect(connectHost(`${host.path}-none`, {})).rejects.toMatchObject({ code: 'JVM_UNREACHABLE' });
  });

  it('matches results that come in another order', async () => {
    let release: () => void = () => undefined;
    const slow = new Promise<string>((resolve) => (release = () => resolve('slow')));
    host = await ScriptedHost.start({ slow: () => slow, fast: (x) => x });
    const { session } = await host.session();
    const first = session.call('slow');
    expect(await session.call('fast', 'fast')).toBe('fast');
    release();
    expect(await first).toBe('slow');
  });

  it('rejects a call with its error and goes on', async () => {
    host = await ScriptedHost.start({ fail: () => Promise.reject(exception as never), ok: () => 1 });
    const { session } = await host.session();
    await expect(session.call('fail')).rejects.toMatchObject({ javaClass: 'a.B' });
    expect(await session.call('ok')).toBe(1);
  });

  it('writes the bytes of a call in place', async () => {
    host = await ScriptedHost.start({ convert: (bytes) => (bytes as Buffer).length });
    const { session, peer } = await host.session();
    expect(await session.callWithBytes('convert', (writer) => writer.raw(Buffer.alloc(300_000)))).toBe(300_000);
    session.eventWithBytes('committed', (writer) => writer.u8(9));
    await peer.until(() => peer.requests('committed').length === 1);
    expect(peer.requests('committed')[0]?.args).toEqual([Buffer.from([9])]);
  });

  it('rejects a call whose arguments cannot be sent, and goes on', async () => {
    host = await ScriptedHost.start({ ok: () => 1 });
    const { session } = await host.session();
    await expect(session.call('ok', Symbol('x') as never)).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
    expect(await session.call('ok')).toBe(1);
  });

  it('handles events in order, before the result of the call that they precede', async () => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session();
    const seen: unknown[] = [];
    session.handle('seek', (...args) => seen.push(args));
    peer.answers.set('put', () => {
      peer.event('seek', 'a', 0, 1);
      peer.event('seek', 'a', 0, 2);
      return null;
    });
    await session.call('put');
    expect(seen).toEqual([
      ['a', 0, 1],
      ['a', 0, 2],
    ]);
  });

  it('keeps what comes before the first call for its handler', async () => {
    host = await ScriptedHost.start({
      open: () => {
        host.peer(0).event('early', 1);
        return {};
      },
      ok: () => null,
    });
    const { session, peer } = await host.session();
    peer.event('early', 2);
    const answer = peer.call('offsets', 3);
    const seen: unknown[] = [];
    await new Promise((resolve) => setImmediate(resolve));
    session.handle('early', (number) => seen.push(number));
    session.handle('offsets', (number) => [number, seen.length]);
    expect((await answer).value).toEqual([3, expect.any(Number)]);
    await session.call('ok');
    expect(seen).toEqual([1, 2]);
  });

  it('answers calls of the host, and what it does not know', async () => {
    host = await ScriptedHost.start({ ok: () => null });
    const { session, peer } = await host.session();
    session.handle('sync', (a) => a);
    session.handle('async', () => Promise.resolve({ a: 1 }));
    session.handle('none', () => undefined);
    session.handle('fails', () => {
      throw new ConnectError('it fails');
    });
    session.handle('symbol', () => Symbol('x'));
    await session.call('ok');
    expect(await peer.call('sync', 5)).toMatchObject({ type: 'result', value: 5 });
    expect(await peer.call('async')).toMatchObject({ type: 'result', value: { a: 1 } });
    expect(await peer.call('none')).toMatchObject({ type: 'result', value: null });
    expect(await peer.call('fails')).toMatchObject({ type: 'error', value: { message: 'it fails', kind: 'connect' } });
    expect(await peer.call('symbol')).toMatchObject({ type: 'error' });
    expect(await peer.call('unknown')).toMatchObject({ type: 'error' });
    peer.event('unknown');
    expect(await peer.call('sync', 6)).toMatchObject({ value: 6 });
  });

  it('stops reading while the host has a thousand calls unanswered', async () => {
    host = await ScriptedHost.start({ ok: () => null });
    const { session, peer } = await host.session();
    const waiting: (() => void)[] = [];
    session.handle('report', () => new Promise<void>((resolve) => waiting.push(resolve)));
    await session.call('ok');
    const answers = Array.from({ length: 10_000 }, (_, i) => peer.call('report', i, 'x'.repeat(50)));
    const reached = async (count: number) => {
      while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    await reached(1000);
    // Whatever has been received at once is handled.
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(waiting.length).toBeLessThan(5000);
    let answered = 0;
    while (answered < 10_000) {
      await reached(1);
      answered += waiting.length;
      for (const resolve of waiting.splice(0)) resolve();
    }
    expect((await Promise.all(answers)).every(({ type }) => type === 'result')).toBe(true);
  });

  it('rejects pending and later calls when the host closes', async () => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session();
    const call = session.call('poll');
    await peer.until(() => peer.requests('poll').length === 1);
    peer.socket.destroy();
    await expect(call).rejects.toMatchObject({ code: 'JVM_ENDED', restartable: true, retriable: false });
    await expect(session.call('poll')).rejects.toMatchObject({ code: 'JVM_ENDED' });
    expect(await session.ended).toMatchObject({ code: 'JVM_ENDED' });
    session.event('nothing');
    session.close();
  });

  it('asks once why it has ended', async () => {
    host = await ScriptedHost.start();
    const cause = jest.fn(() => Promise.resolve(new ConnectError('out of memory', { code: 'JVM_ENDED' })));
    const { session, peer } = await host.session({}, { cause });
    const calls = [session.call('a'), session.call('b')].map((call) => expect(call).rejects.toThrow('out of memory'));
    peer.socket.destroy();
    await Promise.all(calls);
    expect((await session.ended)?.message).toBe('out of memory');
    expect(cause).toHaveBeenCalledTimes(1);
  });

  it('gives its own reason when nobody knows why', async () => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session({}, { cause: () => Promise.reject(new Error('supervisor')) });
    peer.socket.destroy();
    expect((await session.ended)?.message).toBe('supervisor');
  });

  it.each([
    ['a frame that is too long', 'ffffffff'],
    ['a frame that cannot be read', '0000000105'],
    ['a result of an unknown call', '00000006' + '02' + '000003e7' + '00'],
    ['an error of an unknown call', '00000006' + '03' + '000003e7' + '00'],
    ['lists in each other', '000003ed' + '02' + '00000002' + '0700000001'.repeat(200) + '00'],
  ])('ends with %s', async (_name, hex) => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session();
    const call = expect(session.call('poll')).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
    await peer.until(() => peer.requests('poll').length === 1);
    peer.socket.write(Buffer.from(hex, 'hex'));
    await call;
    expect(await session.ended).toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
    await peer.closed;
  });

  it('ends when an event cannot be handled', async () => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session();
    session.handle('bad', () => {
      throw new ConnectError('cannot', { code: 'X' });
    });
    peer.event('bad');
    expect(await session.ended).toMatchObject({ message: 'cannot' });
  });

  it('close rejects pending calls, sends what was written before, and ends without a reason', async () => {
    host = await ScriptedHost.start();
    const { session, peer } = await host.session();
    const call = expect(session.call('poll')).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    session.event('last');
    session.close();
    session.close();
    await call;
    await expect(session.call('poll')).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    await peer.closed;
    expect(peer.requests('last')).toHaveLength(1);
    expect(await session.ended).toBeNull();
  });

  it('keeps no thread alive that waits for nothing', async () => {
    host = await ScriptedHost.start({ ok: () => new Promise((resolve) => setImmediate(resolve, 1)) });
    const worker = new Worker(program(host, `session.call('ok').then(() => session.call('ok'));`), { eval: true });
    await once(worker, 'exit');
    expect(host.peer(0).requests('ok')).toHaveLength(2);
  });

  it('keeps no thread alive after close, even if the host reads nothing', async () => {
    host = await ScriptedHost.start();
    const code = program(
      host,
      `require('node:worker_threads').parentPort.postMessage('open');
       session.callWithBytes('convert', (writer) => writer.raw(Buffer.alloc(8_000_000))).catch(() => undefined);
       session.close();`,
    );
    const worker = new Worker(code, { eval: true });
    await once(worker, 'message');
    host.peer(0).socket.pause();
    await once(worker, 'exit');
  });
});
