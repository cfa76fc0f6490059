/**
 * Records what Java's JsonConverter reads from bytes, in test/golden/converters/json-bytes.json:
 * `node -r ./dev/register.js dev/record-json-bytes.ts`. Needs JDK 17 or newer, and Maven the first time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { javaConnectJars } from './services/java-connect-jars';
import { findJava } from './services/kafka-jars';
import { ROOT } from './services/paths';

const GOLDEN = join(ROOT, 'test', 'golden', 'converters');
const MARK = '\ufeff';

type Case = readonly [name: string, schemas: boolean, bytes: Buffer];
type Encode = (text: string) => Buffer;

const latin1: Encode = (value) => Buffer.from(value, 'latin1');
const utf16le: Encode = (value) => Buffer.from(value, 'utf16le');
const utf16be: Encode = (value) => utf16le(value).swap16();
const utf32be: Encode = (value) => utf32le(value).swap32();
const utf32le: Encode = (value) =>
  Buffer.from(Uint32Array.from(Array.from(value, (c) => c.codePointAt(0) as number)).buffer);
const envelope = (type: string, payload: string): string =>
  `{"schema":{"type":"${type}","optional":true},"payload":${payload}}`;

function encoded(name: string, encode: Encode): Case[] {
  const whole = encode('{"a":"é😀\ufeff"}');
  return [
    [name, false, whole],
    [`${name} with a mark`, false, encode(`${MARK}{"a":"é"}`)],
    [`${name}, two marks`, false, encode(`${MARK}${MARK}{}`)],
    [`${name}, one digit`, false, encode('1')],
    [`${name}, a mark and one digit`, false, encode(`${MARK}1`)],
    [`${name}, blank and a string`, false, encode(' "é"')],
    [`${name}, cut off`, false, whole.subarray(0, -1)],
    [`${name}, an envelope`, true, encode(envelope('string', '"é😀"'))],
    [`${name}, a mark and an envelope`, true, encode(MARK + envelope('string', '"é"'))],
  ];
}

const MALFORMED = {
  'Latin-1': [0xe9],
  'a start of 2 bytes alone': [0xc3],
  'two of 3 bytes': [0xe2, 0x82],
  'three of 4 bytes': [0xf0, 0x9f, 0x98],
  'a continuation byte': [0x80],
  'a surrogate': [0xed, 0xa0, 0x80],
  'a pair of surrogates': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  f8: [0xf8, 0x88, 0x80, 0x80, 0x80],
  ff: [0xff],
  'U+FFFD': [0xef, 0xbf, 0xbd],
  'U+FFFF': [0xef, 0xbf, 0xbf],
};

const CASES: Case[] = [
  ...encoded('UTF-8', Buffer.from),
  ...encoded('UTF-16BE', utf16be),
  ...encoded('UTF-16LE', utf16le),
  ...encoded('UTF-32BE', utf32be),
  ...encoded('UTF-32LE', utf32le),
  ...Object.entries(MALFORMED).flatMap(([name, bytes]): Case[] => [
    [`${name} in a string`, false, Buffer.from([...latin1('{"a":"b'), ...bytes, ...latin1('c"}')])],
    [`${name} in a name`, false, Buffer.from([...latin1('{"b'), ...bytes, ...latin1('c":1}')])],
    [`${name} outside of a string`, false, Buffer.from([...latin1('{"a":'), ...bytes, ...latin1('1}')])],
    [`${name} at the end`, false, Buffer.from([...latin1('"a'), ...bytes])],
    [`${name} in an envelope`, true, Buffer.from(latin1(envelope('string', `"b${latin1String(bytes)}c"`)))],
  ]),
  ['UTF-32 in another byte order', false, Buffer.from([0, 0, 0x31, 0])],
  ['a character above U+10FFFF in UTF-32', false, Buffer.from([0, 0, 0, 0x22, 0, 0x11, 0, 0, 0, 0, 0, 0x22])],
  ...['', ' ', ' \r\n\t', '\f1', '\0', '\0\0', '\0\0\0\0'].map((value): Case => literal(value)),
  ...['fe', 'ff', 'ef', 'efbb', 'efbbbf', 'feff', 'fffe', 'feff00', '3100', '0031', '7b00'].map((hex): Case => [
    `the bytes ${hex}`,
    false,
    Buffer.from(hex, 'hex'),
  ]),
  ...['', ' '].map((value): Case => [`${literal(value)[0]} with schemas`, true, Buffer.from(value)]),
  ...['-0', '[-0]', '{"a":-0}', '{"a":[{"b":-0,"c":0}]}', '-00', '01', '-012'].map((value): Case => literal(value)),
  ...['int8', 'int32', 'int64', 'float', 'double'].flatMap((type) =>
    ['-0', '-0.0', '-0e0'].map((value): Case => [`${type} ${value}`, true, Buffer.from(envelope(type, value))]),
  ),
  ['a default of -0', true, Buffer.from('{"schema":{"type":"double","optional":true,"default":-0},"payload":null}')],
  ...['1 x', '1\n', '1\t2', '1x', '12:30', '1,2', '1}', '1"a"', '-0x', '1.5x', '1e5x', '1é', '1\f', '12345678901234567x']
    .map((value): Case => literal(value)), // prettier-ignore
  ...['true x', 'true,', 'null}', 'true"', 'true-', 'truex', 'nullx', 'true1', 'true_', 'trueé', '"a"x', '{}x', '[]x']
    .map((value): Case => literal(value)), // prettier-ignore
];

function literal(value: string): Case {
  return [JSON.stringify(value), false, Buffer.from(value)];
}
function latin1String(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('latin1');
}

async function main(): Promise<void> {
  const { classPath } = await javaConnectJars();
  const java = spawn(await findJava(), ['-cp', classPath, join(GOLDEN, 'JsonBytes.java')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  java.stdin.end(CASES.map(([, schemas, bytes]) => `${schemas} ${bytes.toString('hex')}\n`).join(''));
  const [output] = await Promise.all([text(java.stdout), once(java, 'close')]);
  const answers = output.trimEnd().split('\n');
  if (answers.length !== CASES.length) throw new Error('JsonBytes.java ended early');
  const lines = CASES.map(([name, schemas, bytes], i) =>
    JSON.stringify([name, schemas, bytes.toString('hex'), answers[i]]),
  );
  writeFileSync(join(GOLDEN, 'json-bytes.json'), `[\n  ${lines.join(',\n  ')}\n]\n`);
}

void main();
