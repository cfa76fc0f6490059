/**
 * The supervisor for other threads of the process: questions and answers over a channel that every thread can open by
 * its name. Few messages: one for each session, and one for each that is lost.
 */
import { BroadcastChannel } from 'node:worker_threads';
import { randomUUID } from 'node:crypto';
import { withDeadline } from '@millrace/sdk';
import { failureOf, JvmError, type JvmFailure } from './jvm-errors';
import type { JvmKey, Jvms } from './jvms';
import { SessionOpener } from './session-opener';
import type { Grant, Supervision } from './supervision';

/** Longer than a start may take: a supervisor that is gone does not answer. */
const ANSWER_MS = 300_000;
const CAUSE_MS = 15_000;

type Question =
  | { readonly kind: 'grant'; readonly key: JvmKey; readonly connector: string | null }
  | { readonly kind: 'cause'; readonly jvm: number };

/** Needs no answer. */
interface Settled {
  readonly settled: { readonly jvm: number; readonly hold: number };
}

type Message = Asked | Answered | Settled;

/** `from`: the asking thread. */
interface Asked {
  readonly from: string;
  readonly id: number;
  readonly question: Question;
}

interface Answered {
  readonly to: string;
  readonly id: number;
  readonly answer: { readonly value: Grant | JvmFailure | null } | { readonly failure: JvmFailure };
}

/** Answers the questions of other threads until `close`. */
export class SupervisionServer {
  private readonly channel: BroadcastChannel;

  constructor(
    name: string,
    private readonly supervision: Supervision,
  ) {
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = (event) => void this.onMessage((event as { data: Message }).data);
    this.channel.unref();
  }

  close(): void {
    this.channel.close();
  }

  private async onMessage(message: Message): Promise<void> {
    if ('settled' in message) this.supervision.settled(message.settled.jvm, message.settled.hold);
    if (!('question' in message)) return;
    const { from: to, id, question } = message;
    const answer = await this.answer(question).then(
      (value) => ({ value }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    this.channel.postMessage({ to, id, answer } satisfies Answered);
  }

  private async answer(question: Question): Promise<Grant | JvmFailure | null> {
    return question.kind === 'grant'
      ? await this.supervision.grant(question.key, question.connector)
      : await this.supervision.cause(question.jvm);
  }
}

type Settle = (answer: Answered['answer']) => void;

class SupervisionClient implements Supervision {
  private readonly self = randomUUID();
  private readonly asked = new Map<number, Settle>();
  private readonly channel: BroadcastChannel;
  private last = 0;

  constructor(name: string) {
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = (event) => this.onMessage((event as { data: Message }).data);
    this.channel.unref();
  }

  settled(jvm: number, hold: number): void {
    this.channel.postMessage({ settled: { jvm, hold } } satisfies Settled);
  }

  async grant(key: JvmKey, of: string | null): Promise<Grant> {
    const { location, classPath, connector, heapMb } = key;
    const plain = { location, classPath: [...classPath], ...(connector !== undefined && { connector }) };
    const sized = { ...plain, ...(heapMb !== undefined && { heapMb }) };
    const question = { kind: 'grant', key: sized, connector: of } as const;
    return (await this.ask(question, ANSWER_MS)) as Grant;
  }

  async cause(jvm: number): Promise<JvmFailure | null> {
    return (await this.ask({ kind: 'cause', jvm }, CAUSE_MS)) as JvmFailure | null;
  }

  private async ask(question: Question, ms: number): Promise<unknown> {
    const id = ++this.last;
    const answered = new Promise<Answered['answer']>((resolve) => this.asked.set(id, resolve));
    this.channel.postMessage({ from: this.self, id, question } satisfies Asked);
    try {
      const answer = await withDeadline(answered, ms, closed);
      if ('failure' in answer) throw new JvmError(answer.failure);
      return answer.value;
    } finally {
      this.asked.delete(id);
    }
  }

  private onMessage(message: Message): void {
    if ('answer' in message && message.to === this.self) this.asked.get(message.id)?.(message.answer);
  }
}

function closed(): JvmError {
  const message = 'The main thread of the worker gives no answer about JVMs: it is stopping.';
  return new JvmError({ code: 'JVM_CLOSED', message, detail: null, kind: 'restart' });
}

const opened = new Map<string, Jvms>();

/**
 * The JVMs of the process, for a thread other than that of their supervisor. Keeps no thread alive.
 * @param channel of the supervisor
 */
export function connectJvms(channel: string): Jvms {
  const jvms = opened.get(channel) ?? new SessionOpener(new SupervisionClient(channel));
  opened.set(channel, jvms);
  return jvms;
}
