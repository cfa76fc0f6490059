/** Calls, results, errors and events as frames. See PROTOCOL.md. */
import { ByteReader } from './byte-reader';
import { ByteWriter } from './byte-writer';
import type { HostValue } from './host-value';
import { ProtocolError } from './protocol-error';
import type { StringCache } from './string-cache';
import { readValue, writeValue } from './values';

const CALL = 1;
const RESULT = 2;
const ERROR = 3;
const EVENT = 4;

export const MAX_FRAME = 256 * 1024 * 1024;

export interface RequestFrame {
  readonly type: 'call' | 'event';
  /** 0: of an event. */
  readonly number: number;
  readonly method: string;
  readonly args: readonly HostValue[];
}

export interface AnswerFrame {
  readonly type: 'result' | 'error';
  readonly number: number;
  readonly value: HostValue;
}

/** Writes the last argument of a call itself: what is between a length and its end. */
export type Content = (writer: ByteWriter) => void;

/** Makes frames, one after another, in memory that it uses again. */
export class FrameWriter {
  private readonly writer = new ByteWriter();

  call(number: number, method: string, args: readonly HostValue[]): Buffer {
    return this.frame(CALL, number, `The call ${method}()`, () => {
      this.writer.string(method);
      writeValue(this.writer, args);
    });
  }

  /** A call with one argument, bytes that `content` writes. */
  callWithBytes(number: number, method: string, content: Content): Buffer {
    return this.frame(CALL, number, `The call ${method}()`, () => this.methodWithBytes(method, content));
  }

  event(method: string, args: readonly HostValue[]): Buffer {
    return this.frame(EVENT, 0, `The event ${method}`, () => {
      this.writer.string(method);
      writeValue(this.writer, args);
    });
  }

  eventWithBytes(method: string, content: Content): Buffer {
    return this.frame(EVENT, 0, `The event ${method}`, () => this.methodWithBytes(method, content));
  }

  result(number: number, value: HostValue): Buffer {
    return this.frame(RESULT, number, 'The answer', () => writeValue(this.writer, value));
  }

  error(number: number, error: HostValue): Buffer {
    return this.frame(ERROR, number, 'The error', () => writeValue(this.writer, error));
  }

  private methodWithBytes(method: string, content: Content): void {
    const { writer } = this;
    writer.string(method);
    writer.u8(7);
    writer.i32(1);
    writer.u8(6);
    const length = writer.placeholder();
    content(writer);
    writer.patch(length, writer.length - length - 4);
  }

  /** Throws TooLarge, and what `body` throws; nothing of it is sent then. */
  private frame(type: number, number: number, what: string, body: () => void): Buffer {
    const { writer } = this;
    writer.truncate(0);
    const length = writer.placeholder();
    writer.limit(MAX_FRAME, what);
    writer.u8(type);
    writer.i32(number);
    body();
    writer.patch(length, writer.length - 4);
    return writer.take();
  }
}

/** @param bytes the frame without its length. Throws ProtocolError. */
export function readFrame(bytes: Buffer, strings: StringCache): RequestFrame | AnswerFrame {
  const reader = new ByteReader(bytes, strings);
  const type = reader.u8();
  const number = reader.i32();
  const frame = readBody(reader, type, number);
  reader.end();
  return frame;
}

function readBody(reader: ByteReader, type: number, number: number): RequestFrame | AnswerFrame {
  switch (type) {
    case CALL:
    case EVENT: {
      const method = reader.string();
      const args = readValue(reader);
      if (!Array.isArray(args)) throw new ProtocolError('its arguments are no list');
      return { type: type === CALL ? 'call' : 'event', number, method, args: args as readonly HostValue[] };
    }
    case RESULT:
    case ERROR:
      return { type: type === RESULT ? 'result' : 'error', number, value: readValue(reader) };
    default:
      throw new ProtocolError(`${type} is no type of a frame`);
  }
}
