import { SilentPeer } from '../../../../connectors/postgres/src/replication/silent-peer';

function watched() {
  const calls: string[] = [];
  const peer = { received: 0, paused: false, ask: () => calls.push('ask'), lost: () => calls.push('lost') };
  const watch = new SilentPeer(peer);
  return { peer, calls, check: (count: number) => Array.from({ length: count }, () => watch.check()) };
}

test('a server that does not answer is lost after three checks', () => {
  const { peer, calls, check } = watched();
  peer.received = 10;
  check(4);
  expect(calls).toEqual(['ask', 'ask', 'lost']);
});

test('an answer starts the count again', () => {
  const { peer, calls, check } = watched();
  check(2);
  peer.received = 10;
  check(3);
  expect(calls).toEqual(['ask', 'ask', 'ask', 'ask']);
});

test('while the reader is slower than the server, nothing is expected', () => {
  const { peer, calls, check } = watched();
  peer.paused = true;
  check(10);
  expect(calls).toEqual([]);
});
