import type {
  ConnectorConfig,
  ConnectRecord,
  Predicate,
  PredicatePlugin,
  Transformation,
  TransformationContext,
  TransformationPlugin,
} from '@millrace/sdk';
import type { HostMap, HostValue } from '../wire/host-value';
import { Answers } from './answers';
import { isSinkRecord, readRecord, writeRecord } from './element-record';
import { ElementSession, type OpenSession } from './element-session';
import { type JavaElement, ownerNames } from './java-element';

/** A transformation of a jar: one round trip to its JVM for each record. */
export function javaTransformation(element: JavaElement): TransformationPlugin {
  return { ...exported(element), type: 'transformation', create: () => new JavaTransformation(element) };
}

/** A predicate of a jar: one round trip to its JVM for each record. */
export function javaPredicate(element: JavaElement): PredicatePlugin {
  return { ...exported(element), type: 'predicate', create: () => new JavaPredicate(element) };
}

function exported(element: JavaElement): Pick<TransformationPlugin, 'config' | 'checkValues'> {
  return { config: element.config, checkValues: (settings) => element.checkValues(settings) };
}

/** Asks the JVM about records, one at a time. */
class RecordQuestions<T> {
  private opening: HostMap = {};
  private session: ElementSession | null = null;
  private answers: Answers<T> | null = null;

  constructor(
    private readonly element: JavaElement,
    private readonly kind: 'transformation' | 'predicate',
    private readonly method: string,
    private readonly read: (answer: HostValue, record: ConnectRecord, session: ElementSession, open: OpenSession) => T,
  ) {}

  configure(settings: ConnectorConfig, { owner, alias }: Partial<TransformationContext> = {}): void {
    const { class: name } = this.element;
    this.answers = new Answers(`${this.method}() of ${name}${alias === undefined ? '' : ` (${alias})`}`, isSamePlace);
    this.opening = { settings, ...ownerNames(owner), ...(alias !== undefined && { alias }) };
  }

  about(record: ConnectRecord): T {
    // Only now is it known of what the records are.
    this.session ??= new ElementSession(this.element, {
      kind: this.kind,
      ...this.opening,
      records: isSinkRecord(record) ? 'sink' : 'source',
    });
    const { session, answers } = this;
    if (answers === null) throw new TypeError('configure was not called');
    return answers.answer([record], () =>
      session.ask(
        this.method,
        (open) => [session.encode(open, (out, writer) => writeRecord(out, writer, record))],
        (answer, open) => this.read(answer, record, session, open),
      ),
    );
  }

  close(): void {
    this.session?.close();
  }
}

/** Of two records: whether one is the other, consumed again. */
function isSamePlace(one: unknown, other: unknown): boolean {
  const [a, b] = [one as ConnectRecord, other as ConnectRecord];
  return (
    isSinkRecord(a) &&
    isSinkRecord(b) &&
    a.originalOffset === b.originalOffset &&
    a.originalPartition === b.originalPartition &&
    a.originalTopic === b.originalTopic &&
    a.timestamp === b.timestamp
  );
}

class JavaTransformation implements Transformation {
  private readonly questions: RecordQuestions<ConnectRecord | null>;

  constructor(element: JavaElement) {
    this.questions = new RecordQuestions(element, 'transformation', 'apply', (answer, record, session, open) =>
      answer === null ? null : session.decode(open, answer, (input, reader) => readRecord(input, reader, record)),
    );
  }

  configure(settings: ConnectorConfig, context?: TransformationContext): void {
    this.questions.configure(settings, context);
  }

  apply<R extends ConnectRecord>(record: R): R | null {
    return this.questions.about(record) as R | null;
  }

  close(): void {
    this.questions.close();
  }
}

class JavaPredicate implements Predicate {
  private readonly questions: RecordQuestions<boolean>;

  constructor(element: JavaElement) {
    this.questions = new RecordQuestions(element, 'predicate', 'test', (answer) => answer === true);
  }

  configure(settings: ConnectorConfig, context?: TransformationContext): void {
    this.questions.configure(settings, context);
  }

  test(record: ConnectRecord): boolean {
    return this.questions.about(record);
  }

  close(): void {
    this.questions.close();
  }
}
