/**
 * A socket whose bytes are read into memory of its reader. For any other, Node allocates 64 kB for each read, which
 * only a garbage collection releases: tens of megabytes of a fast stream.
 */
import { Socket } from 'node:net';

export interface SocketReader {
  /** Where the next bytes go. */
  room(): Uint8Array;
  /** Called when `size` bytes are in the last room. */
  received(size: number): void;
}

/** Of bytes that are emitted as `data`, in copies, while there is no reader. */
const FIRST_BYTES = 16 * 1024;

const readers = new WeakMap<Socket, { current: SocketReader | null }>();

export function directSocket(): Socket {
  const first = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const reader: { current: SocketReader | null } = { current: null };
  const options = {
    onread: {
      buffer: (): Uint8Array => reader.current?.room() ?? first,
      callback: (size: number, bytes: Uint8Array): boolean => {
        if (bytes === first || reader.current === null) socket.emit('data', Buffer.from(bytes.subarray(0, size)));
        else reader.current.received(size);
        return true;
      },
    },
  };
  // Its types have this option of net.connect, which calls the constructor with it.
  const socket: Socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  readers.set(socket, reader);
  return socket;
}

/** What the socket receives after the bytes it may read now goes to the reader. No effect on sockets of other kinds. */
export function readDirectly(socket: Socket, reader: SocketReader): void {
  const own = readers.get(socket);
  if (own !== undefined) own.current = reader;
}
