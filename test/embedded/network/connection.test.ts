import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { API_VERSIONS } from '@millrace/kafka-protocol';
import { Connection } from '../../../packages/embedded/src/network/connection';
import { MemoryBudget } from '../../../packages/embedded/src/network/memory-budget';
import type { Dispatch } from '../../../packages/embedded/src/requests/handler';

/** ApiVersions 0 without a client id. */
function request(correlationId: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes.writeInt32BE(10, 0);
  bytes.writeInt16BE(API_VERSIONS.key, 4);
  bytes.writeInt32BE(correlationId, 8);
  bytes.writeInt16BE(-1, 12);
  return bytes;
}

test.each([1, 2, 3, 13])(
  'a request whose first %i bytes came alone, while another was handled, is answered',
  async (first) => {
    const answered: number[] = [];
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        // The length comes first, in a chunk of its own.
        if (chunk.length > 4) answered.push(chunk.readInt32BE(0));
        done();
      },
    });
    const limits = {
      maxRequestBytes: 1000,
      maxRequestBytesBeforeAuthentication: 1000,
      maxIdleMs: 60_000,
      memory: new MemoryBudget(1 << 20),
    };
    let release = (): void => undefined;
    const handled: number[] = [];
    const dispatch: Dispatch = async ({ correlationId }) => {
      handled.push(correlationId);
      if (correlationId === 1) await new Promise<void>((resolve) => (release = resolve));
      return { errorCode: 0, apiKeys: [] };
    };
    const faked = Object.assign(socket, { setNoDelay: () => socket, setTimeout: () => socket });
    const connection = new Connection(1, faked as unknown as Socket, dispatch, limits, true, () => undefined);
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

    socket.push(request(1));
    while (handled.length === 0) await turn();
    const second = request(2);
    socket.push(second.subarray(0, first));
    socket.push(second.subarray(first));
    release();
    for (let turns = 0; answered.length < 2 && turns < 100; turns++) await turn();
    expect(answered).toEqual([1, 2]);
    connection.close();
  },
);
