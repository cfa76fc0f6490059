/**
 * Formats errors as the `trace` of a status: `<Java class>: <message>`, frames, causes. Source: connect-rest
 * §6.2.
 */
import { KafkaError } from '@millrace/kafka-client';
import { isConnectError, isRetriable, isErrorLike, messageOf } from '@millrace/sdk';
import { boundedText, type Owners, TEXT_LIMIT } from '@millrace/texts/redaction';

const CONNECT_EXCEPTION = 'org.apache.kafka.connect.errors.ConnectException';
const MAX_CAUSES = 10;
/** Limit of a quoted message. Characters. */
const QUOTED_LIMIT = TEXT_LIMIT / 2;
/** Per error. */
const MAX_FRAMES = 50;
const FRAME_LIMIT = 512;
/** Limit of code and place together. Characters. */
const DETAILS_LIMIT = 1024;
/** Limit of a trace, which is stored in the status topic and returned by REST. Characters. */
export const TRACE_LIMIT = 16_384;

/**
 * The first line has the error, the reason, the stable code and the place. The text ends in a line feed, as in Java. It
 * is bounded and hides values of config providers.
 * @param owners whose plugins and servers the error is from
 */
export function formatTrace(error: unknown, owners: Owners): string {
  try {
    return traceOf(error, owners);
  } catch {
    // What a plugin throws may refuse to be read.
    return `${CONNECT_EXCEPTION}: ${boundedText(messageOf(error), TEXT_LIMIT, { owners, words: true })}\n`;
  }
}

function traceOf(error: unknown, owners: Owners): string {
  let text = '';
  const seen = new Set<unknown>();
  for (let at = error, prefix = ''; !seen.has(at) && seen.size < MAX_CAUSES; prefix = 'Caused by: ') {
    seen.add(at);
    text += `${prefix}${headline(at, owners)}\n${frames(at, owners)}`;
    const cause = causeOf(at);
    if (cause === undefined || cause === null) break;
    at = cause;
  }
  return text.length <= TRACE_LIMIT ? text : `${boundedText(text, TRACE_LIMIT, { owners })}\n`;
}

/** A quoted message of a connector's plugins or servers, as a sentence that another sentence can follow. Bounded. */
export function quotedSentence(text: string, connector: string): string {
  const quoted = boundedText(text, QUOTED_LIMIT, { owners: connector });
  return /[.!?]$/.test(quoted.slice(-1)) ? quoted : `${quoted}.`;
}

/** The Java class that stands for the error. */
export function javaClassOf(error: unknown): string {
  if (isConnectError(error)) return error.javaClass;
  if (error instanceof KafkaError)
    return error.retriable
      ? 'org.apache.kafka.common.errors.RetriableException'
      : 'org.apache.kafka.common.KafkaException';
  return CONNECT_EXCEPTION;
}

/** Errors that a restart cures, because it begins with a new session. */
const CURED_BY_RESTART: readonly string[] = [
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'UNKNOWN_SERVER_ERROR',
  'UNKNOWN_MEMBER_ID',
  'MAX_POLL_INTERVAL_EXCEEDED',
  'TRANSACTION_ABORTABLE',
  'DELIVERY_TIMEOUT',
];

/** A new member with the same `group.instance.id` would fence the other one in turn. */
const FENCED_FOR_GOOD = 'FENCED_INSTANCE_ID';

/**
 * Whether a restart may succeed. False for final errors (ConnectError and refused requests), unless they say so or
 * their cause is retriable. True for unexpected errors.
 */
export function isWorthRestarting(error: unknown): boolean {
  if (isRetriable(error)) return true;
  if (isErrorLike(error) && isRetriable(causeOf(error))) return true;
  if (error instanceof KafkaError)
    return (error.fenced && error.code !== FENCED_FOR_GOOD) || CURED_BY_RESTART.includes(error.code);
  return !isConnectError(error) || error.restartable;
}

function headline(error: unknown, owners: Owners): string {
  const name = isErrorLike(error) && !isConnectError(error) && error.name !== 'Error' ? `${error.name}: ` : '';
  // As Java prints an exception without a message.
  if (isConnectError(error) && error.message === error.javaClass) return error.javaClass;
  const message = boundedText(messageOf(error), TEXT_LIMIT, { owners, words: true });
  return `${javaClassOf(error)}: ${name}${message}${boundedText(details(error), DETAILS_LIMIT, { owners })}`;
}

function details(error: unknown): string {
  if (!isErrorLike(error)) return '';
  const parts: string[] = [];
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && code !== 'CONNECT_ERROR') parts.push(`code: ${code}`);
  if (isConnectError(error)) for (const [key, value] of Object.entries(error.place)) parts.push(`${key}: ${value}`);
  if (error instanceof KafkaError) {
    if (error.topic !== null) parts.push(`topic: ${error.topic}`);
    if (error.partition !== null) parts.push(`partition: ${error.partition}`);
  }
  return parts.length === 0 ? '' : ` [${parts.join(', ')}]`;
}

/** The frames after the message, whose own lines may look like frames. */
function frames(error: unknown, owners: Owners): string {
  if (!isErrorLike(error) || typeof error.stack !== 'string') return '';
  const at = error.message === '' ? -1 : error.stack.indexOf(error.message);
  return error.stack
    .slice(at < 0 ? 0 : at + error.message.length)
    .split('\n')
    .filter((line) => /^\s+(?:at |\.{3} \d+ more$)/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => `\t${boundedText(line.trim(), FRAME_LIMIT, { owners })}\n`)
    .join('');
}

function causeOf(error: unknown): unknown {
  return isErrorLike(error) ? (error as { cause?: unknown }).cause : undefined;
}
