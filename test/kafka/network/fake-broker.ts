/** A socket that speaks just enough of Kafka's protocol to be connected to: ApiVersions, SASL, Metadata. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { Frames } from '../../helpers/frames';
import { ByteReader, ByteWriter } from '../bytes';

/** Answers the client's next message; an error is a refusal. */
export type SaslServer = (message: Buffer) => Buffer;

export interface FakeBrokerOptions {
  tls?: tls.TlsOptions;
  /** Mechanism → a conversation for each connection. */
  sasl?: Record<string, () => SaslServer>;
  sessionLifetimeMs?: number;
  /** Swallow requests of this API. */
  silentFor?: number;
  /** The nodes that Metadata names. (Default: this one, as node 1) */
  nodes?: () => readonly FakeNode[];
  /** What FindCoordinator names. (Default: not supported) */
  coordinator?: () => FakeNode;
  /** The ids of the groups that ListGroups names. (Default: not supported) */
  groups?: () => readonly string[];
}

export interface FakeNode {
  readonly id: number;
  readonly port: number;
}

export interface FakeBroker {
  readonly server: string;
  readonly port: number;
  /** API keys in the order received. */
  readonly received: number[];
  /** Reads nothing until it is resumed, so what clients write fills the buffers on the way. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function fakeBroker(options: FakeBrokerOptions = {}): Promise<FakeBroker> {
  const received: number[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const frames = new Frames();
    let conversation: SaslServer | null = null;
    const answer = (body: Buffer): Buffer | null => {
      const r = new ByteReader(body);
      const [apiKey, version, correlationId] = [r.int16(), r.int16(), r.int32()];
      r.nullableString();
      received.push(apiKey);
      if (apiKey === options.silentFor) return null;
      const w = new ByteWriter().int32(correlationId);
      if (apiKey === 18) {
        const max = new Map([
          [3, 8],
          [17, 1],
          [18, 0],
          [36, 1],
          ...(options.coordinator === undefined ? [] : ([[10, 1]] as const)),
          ...(options.groups === undefined ? [] : ([[16, 0]] as const)),
        ]);
        w.int16(0).array([...max], ([key, version]) => w.int16(key).int16(0).int16(version));
      } else if (apiKey === 17) {
        const mechanism = r.string();
        const known = Object.keys(options.sasl ?? {});
        conversation = options.sasl?.[mechanism]?.() ?? null;
        w.int16(conversation === null ? 33 : 0).array(known, (name) => w.string(name));
      } else if (apiKey === 36) {
        try {
          const reply = (conversation as SaslServer)(r.bytes());
          w.int16(0).nullableString(null).bytes(reply);
        } catch (error) {
          w.int16(58)
            .nullableString((error as Error).message)
            .bytes(Buffer.alloc(0));
        }
        if (version >= 1) w.int64(options.sessionLifetimeMs ?? 0);
      } else if (apiKey === 3) {
        const nodes = options.nodes?.() ?? [{ id: 1, port: (listener.address() as AddressInfo).port }];
        w.int32(0).array(nodes, ({ id, port }) => w.int32(id).string('127.0.0.1').int32(port).nullableString(null));
        w.nullableString('fake-cluster')
          .int32(1)
          .array([], () => undefined)
          .int32(0);
      } else if (apiKey === 10) {
        const { id, port } = (options.coordinator as () => FakeNode)();
        w.int32(0).int16(0).nullableString(null).int32(id).string('127.0.0.1').int32(port);
      } else if (apiKey === 16) {
        w.int16(0).array((options.groups as () => readonly string[])(), (id) => w.string(id).string('consumer'));
      }
      return w.finish();
    };
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk);
      for (let frame = frames.next(); frame !== null; frame = frames.next()) {
        const reply = answer(frame);
        if (reply !== null) socket.write(new ByteWriter().bytes(reply).finish());
      }
    });
  };
  const listener = options.tls ? tls.createServer(options.tls, serve) : net.createServer(serve);
  listener.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    port: (listener.address() as AddressInfo).port,
    received,
    pause() {
      for (const socket of sockets) socket.pause();
    },
    resume() {
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

export const plainServer =
  (user: string, password: string): (() => SaslServer) =>
  () =>
  (message) => {
    if (message.toString() !== `\0${user}\0${password}`)
      throw new Error('Authentication failed: Invalid username or password');
    return Buffer.alloc(0);
  };

/** RFC 5802, the server's side. */
export const scramServer =
  (algorithm: 'sha256' | 'sha512', user: string, password: string): (() => SaslServer) =>
  () => {
    const salt = randomBytes(16);
    const length = algorithm === 'sha256' ? 32 : 64;
    const salted = pbkdf2Sync(password, salt, 4096, length, algorithm);
    const hmac = (key: Buffer, text: string): Buffer => createHmac(algorithm, key).update(text).digest();
    let clientFirst = '';
    let serverFirst = '';
    return (message) => {
      const text = message.toString();
      if (serverFirst === '') {
        clientFirst = text.replace(/^n,,/, '');
        const nonce = /r=([^,]*)/.exec(clientFirst)?.[1] as string;
        if (!clientFirst.startsWith(`n=${user},`)) throw new Error('Authentication failed due to invalid credentials');
        serverFirst = `r=${nonce}server,s=${salt.toString('base64')},i=4096`;
        return Buffer.from(serverFirst);
      }
      const [withoutProof, proof] = text.split(',p=') as [string, string];
      const auth = `${clientFirst},${serverFirst},${withoutProof}`;
      const storedKey = createHash(algorithm).update(hmac(salted, 'Client Key')).digest();
      const signature = hmac(storedKey, auth);
      const clientKey = Buffer.from(Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] as number)));
      if (!createHash(algorithm).update(clientKey).digest().equals(storedKey)) {
        throw new Error('Authentication failed during authentication due to invalid credentials with SASL mechanism');
      }
      return Buffer.from(`v=${hmac(hmac(salted, 'Server Key'), auth).toString('base64')}`);
    };
  };

/** Refuses as Kafka does: first with JSON, then, after one more byte, with an error. */
export const oauthServer =
  (accepted: (token: string, message: string) => boolean): (() => SaslServer) =>
  () => {
    let refused = false;
    return (message) => {
      if (refused) throw new Error('{"status":"invalid_token"}');
      const text = message.toString();
      if (accepted(text.split('\u0001')[1]?.replace('auth=Bearer ', '') ?? '', text)) return Buffer.alloc(0);
      refused = true;
      return Buffer.from('{"status":"invalid_token"}');
    };
  };
