import type {
  ConnectorConfig,
  ConnectValue,
  Converter,
  ConverterPlugin,
  HeaderConverter,
  HeaderConverterPlugin,
  RawHeader,
  Schema,
  SchemaAndValue,
  TaskOwner,
} from '@millrace/sdk';
import type { HostMap, HostValue } from '../wire/host-value';
import { ProtocolError } from '../wire/protocol-error';
import { Answers } from './answers';
import { ElementSession } from './element-session';
import { type JavaElement, ownerNames } from './java-element';

/** A converter of a jar: one round trip to its JVM for each key or value. */
export function javaConverter(element: JavaElement): ConverterPlugin {
  return { ...exported(element), type: 'converter', create: () => new JavaConverter(element) };
}

/** A header converter of a jar: one round trip to its JVM for each header. */
export function javaHeaderConverter(element: JavaElement): HeaderConverterPlugin {
  return { ...exported(element), type: 'header_converter', create: () => new JavaHeaderConverter(element) };
}

function exported(element: JavaElement): Pick<ConverterPlugin, 'config' | 'checkValues'> {
  return { config: element.config, checkValues: (settings) => element.checkValues(settings) };
}

/** Asks the JVM to convert. */
class Conversions {
  private readonly session: ElementSession;
  private readonly toBytes: Answers<Buffer | null>;
  private readonly toData: Answers<SchemaAndValue>;

  constructor(element: JavaElement, opening: HostMap & { readonly kind: string }) {
    this.session = new ElementSession(element, opening);
    const what = opening.kind === 'converter' ? 'Data' : 'Header';
    this.toBytes = new Answers(`fromConnect${what}() of ${element.class}`);
    this.toData = new Answers(`toConnect${what}() of ${element.class}`);
  }

  from(method: string, place: readonly string[], schema: Schema | null, value: ConnectValue): Buffer | null {
    const { session } = this;
    return this.toBytes.answer([...place, schema, value], () =>
      session.ask(
        method,
        (open) => [...place, session.encode(open, (out, writer) => writer.write(out, schema, value))],
        bytesOf,
      ),
    );
  }

  to(
    method: string,
    place: readonly string[],
    bytes: Uint8Array | null,
    headers: readonly RawHeader[] = [],
  ): SchemaAndValue {
    const { session } = this;
    const question = [...place, bytes, ...headers.flatMap(({ key, value }) => [key, value])];
    return this.toData.answer(question, () => {
      // They are in a buffer of the consumer, and may be sent only once the session is open.
      const args = [...place, copy(bytes), headers.map(({ key, value }) => [key, copy(value)])];
      return session.ask(
        method,
        () => args,
        (answer, open) => session.decode(open, answer, (input, reader) => reader.read(input)),
      );
    });
  }

  close(): void {
    this.session.close();
  }
}

function copy(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes);
}

function bytesOf(answer: HostValue): Buffer | null {
  if (answer === null) return null;
  if (!(answer instanceof Uint8Array)) throw new ProtocolError('a converter returned no bytes');
  return Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
}

class JavaConverter implements Converter {
  private conversions: Conversions | null = null;

  constructor(private readonly element: JavaElement) {}

  configure(settings: ConnectorConfig, isKey: boolean, owner?: TaskOwner): void {
    this.conversions = new Conversions(this.element, { kind: 'converter', settings, isKey, ...ownerNames(owner) });
  }

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    return this.configured().from('fromConnectData', [topic], schema, value);
  }

  toConnectData(topic: string, bytes: Uint8Array | null, headers?: readonly RawHeader[]): SchemaAndValue {
    return this.configured().to('toConnectData', [topic], bytes, headers);
  }

  close(): void {
    this.conversions?.close();
  }

  private configured(): Conversions {
    return this.conversions ?? notConfigured();
  }
}

class JavaHeaderConverter implements HeaderConverter {
  private conversions: Conversions | null = null;

  constructor(private readonly element: JavaElement) {}

  configure(settings: ConnectorConfig, owner?: TaskOwner): void {
    this.conversions = new Conversions(this.element, { kind: 'header-converter', settings, ...ownerNames(owner) });
  }

  fromConnectHeader(topic: string, key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    return this.configured().from('fromConnectHeader', [topic, key], schema, value);
  }

  toConnectHeader(topic: string, key: string, bytes: Uint8Array | null): SchemaAndValue {
    return this.configured().to('toConnectHeader', [topic, key], bytes);
  }

  close(): void {
    this.conversions?.close();
  }

  private configured(): Conversions {
    return this.conversions ?? notConfigured();
  }
}

function notConfigured(): never {
  throw new TypeError('configure was not called');
}
