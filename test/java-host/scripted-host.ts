/** A host on a Unix socket that does what a test says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectHost, type ConnectOptions } from '../../packages/java-host/src/connection/connect-host';
import type { HostSession } from '../../packages/java-host/src/connection/host-session';
import { FrameSplitter } from '../../packages/java-host/src/wire/frame-splitter';
import { type AnswerFrame, FrameWriter, readFrame, type RequestFrame } from '../../packages/java-host/src/wire/frame';
import type { HostMap, HostValue } from '../../packages/java-host/src/wire/host-value';
import { StringCache } from '../../packages/java-host/src/wire/string-cache';

type Answer = (...args: HostValue[]) => HostValue | Promise<HostValue>;

/** One connection, from the host's side. */
export class Peer {
  readonly received: (RequestFrame | AnswerFrame)[] = [];
  readonly answers = new Map<string, Answer>();
  readonly frames = new FrameWriter();
  private readonly splitter = new FrameSplitter();
  private readonly strings = new StringCache();
  private waiters: (() => void)[] = [];
  private number = 0;
  private readonly calls = new Map<number, (answer: AnswerFrame) => void>();
  readonly closed: Promise<void>;

  constructor(
    readonly socket: Socket,
    answers: Readonly<Record<string, Answer>>,
  ) {
    for (const [method, answer] of Object.entries(answers)) this.answers.set(method, answer);
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => {
      this.splitter.push(chunk);
      for (let bytes = this.splitter.next(); bytes !== null; bytes = this.splitter.next()) void this.onFrame(bytes);
    });
  }

  event(method: string, ...args: HostValue[]): void {
    this.socket.write(this.frames.event(method, args));
  }

  call(method: string, ...args: HostValue[]): Promise<AnswerFrame> {
    const number = ++this.number;
    this.socket.write(this.frames.call(number, method, args));
    return new Promise((resolve) => this.calls.set(number, resolve));
  }

  requests(method: string): RequestFrame[] {
    return this.received.filter((frame): frame is RequestFrame => 'method' in frame && frame.method === method);
  }

  /** Waits for the next frame until the condition is true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  private async onFrame(bytes: Buffer): Promise<void> {
    const frame = readFrame(Buffer.from(bytes), this.strings);
    this.received.push(frame);
    for (const resolve of this.waiters.splice(0)) resolve();
    if ('value' in frame) this.calls.get(frame.number)?.(frame);
    if (!('method' in frame) || frame.type === 'event') return;
    const answer = this.answers.get(frame.method);
    if (!answer) return;
    try {
      this.socket.write(this.frames.result(frame.number, await answer(...frame.args)));
    } catch (error) {
      this.socket.write(this.frames.error(frame.number, error as HostMap));
    }
  }
}

export class ScriptedHost {
  readonly peers: Peer[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'java-host-'));
  readonly path = join(this.folder, 'socket');
  private waiters: ((peer: Peer) => void)[] = [];

  private constructor(
    private readonly server: Server,
    answers: Readonly<Record<string, Answer>>,
  ) {
    server.on('connection', (socket) => {
      const peer = new Peer(socket, { open: () => ({}), ...answers });
      this.peers.push(peer);
      for (const resolve of this.waiters.splice(0)) resolve(peer);
    });
  }

  /** @param answers to calls of all sessions; those without one get none */
  static async start(answers: Readonly<Record<string, Answer>> = {}): Promise<ScriptedHost> {
    const server = createServer();
    const host = new ScriptedHost(server, answers);
    await new Promise<void>((resolve) => server.listen(host.path, resolve));
    return host;
  }

  async session(
    open: HostMap = { kind: 'test' },
    options: ConnectOptions = {},
  ): Promise<{ session: HostSession; peer: Peer }> {
    const next = new Promise<Peer>((resolve) => this.waiters.push(resolve));
    const [session, peer] = await Promise.all([connectHost(this.path, open, options), next]);
    return { session, peer };
  }

  peer(index: number): Peer {
    return this.peers[index] as Peer;
  }

  /** As a JVM that ends. */
  endPeers(): void {
    for (const { socket } of this.peers) socket.destroy();
  }

  async close(): Promise<void> {
    this.endPeers();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
