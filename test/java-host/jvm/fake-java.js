/**
 * Plays `java` and the host in it: `-Dfake=KIND` among its arguments says how. Its argument is that of the real one, a
 * file of arguments after an `@`.
 */
const { readFileSync } = require('node:fs');
const { createServer } = require('node:net');

const [first = ''] = process.argv.slice(2);
if (first === '-version') {
  console.error(`openjdk version "${process.env.PATH.includes('old-java') ? '11.0.2' : '17.0.9'}" 2023-10-17`);
  process.exit(0);
}
const args = readFileSync(first.slice(1), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.slice(1, -1));
const kinds = args.flatMap((arg) => (arg.startsWith('-Dfake=') ? arg.slice('-Dfake='.length).split('+') : []));
const is = (kind) => kinds.includes(kind);
const socketPath = args.at(-1);

process.on('SIGTERM', () => {
  if (!is('stubborn')) process.exit(143);
});
process.stdin.resume();
process.stdin.on('end', () => {
  if (!is('stubborn')) process.exit(0);
});

const int = (value, bytes = 4) => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeInt32BE(value);
  return buffer;
};
const text = (string) => Buffer.concat([int(Buffer.byteLength(string)), Buffer.from(string)]);
function value(of) {
  if (of === null) return Buffer.from([0]);
  if (typeof of === 'number') return Buffer.concat([Buffer.from([3]), int(of, 8)]);
  if (typeof of === 'string') return Buffer.concat([Buffer.from([5]), text(of)]);
  if (Array.isArray(of)) return Buffer.concat([Buffer.from([7]), int(of.length), ...of.map(value)]);
  const entries = Object.entries(of).flatMap(([key, one]) => [text(key), value(one)]);
  return Buffer.concat([Buffer.from([8]), int(Object.keys(of).length), ...entries]);
}
function frame(type, number, rest) {
  const body = Buffer.concat([Buffer.from([type]), int(number), rest]);
  return Buffer.concat([int(body.length), body]);
}
const result = (number, of) => frame(2, number, value(of));
const event = (method, ...of) => frame(4, 0, Buffer.concat([text(method), value(of)]));

const ANSWERS = {
  memory: { heapUsed: 10, heapMax: 20, nonHeapUsed: 5, threads: 7, gcMs: 3 },
  loggers: ['io.debezium.A', 'org.b'],
  mbeans: [
    {
      name: 'debezium.postgres:type=connector-metrics,context=streaming,server=s',
      attributes: { TotalNumberOfEventsSeen: 3 },
    },
  ],
  environment: Object.keys(process.env),
  arguments: args,
};

let control = null;
const sessions = new Set();
const count = () => {
  // The other connection is faster than that of the supervisor, until it asks.
  if (!is('late')) control?.write(event('sessions', sessions.size));
};

function onCall(socket, number, method, body) {
  if (method === 'open') {
    socket.write(result(number, { pid: process.pid }));
    if (body.includes('control')) control = socket;
    else sessions.add(socket);
    return count();
  }
  if (method === 'exit') return is('stubborn') ? undefined : process.exit(0);
  if (method === 'kill') return process.kill(process.pid, 'SIGKILL');
  if (method === 'hang')
    return control.write(event('hung', { connector: 'c', task: 0, threads: [{ name: 'c-0', trace: 'at A.b' }] }));
  if (method === 'log')
    return control.write(
      event('log', [{ level: 'WARN', logger: 'io.debezium.A', message: 'slow', connector: 'c', task: 0, trace: null }]),
    );
  if (method === 'print') return process.stdout.write(`${body.subarray(-20).toString('latin1')}\n`);
  if (method === 'oom') {
    console.log('Terminating due to java.lang.OutOfMemoryError: Java heap space');
    return process.exit(3);
  }
  if (method === 'level') {
    control.write(event('log', [{ level: 'INFO', logger: 'level', message: body.subarray(-20).toString('latin1') }]));
    return socket.write(result(number, null));
  }
  if (is('late') && method === 'memory') {
    setTimeout(
      () => socket.write(Buffer.concat([event('sessions', sessions.size), result(number, ANSWERS.memory)])),
      50,
    );
    return undefined;
  }
  if (is('silent')) return undefined;
  socket.write(result(number, ANSWERS[method] ?? null));
}

function listen() {
  createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
        const body = bytes.subarray(4, 4 + bytes.readInt32BE(0));
        bytes = bytes.subarray(4 + body.length);
        if (body[0] !== 1 && body[0] !== 4) continue;
        const length = body.readInt32BE(5);
        onCall(socket, body.readInt32BE(1), body.toString('utf8', 9, 9 + length), body.subarray(9 + length));
      }
    });
    socket.on('close', () => {
      sessions.delete(socket);
      count();
    });
    socket.on('error', () => undefined);
  }).listen(socketPath);
}

if (is('exit')) {
  console.error('Unrecognized VM option Foo');
  console.error('Error: Could not create the Java Virtual Machine.');
  process.exitCode = 1;
  process.stdin.destroy();
} else if (is('hang')) console.log('still loading');
else if (is('flood')) {
  const line = `${'x'.repeat(100)}\n`;
  process.stdout.write(`${'y'.repeat(100_000)}\n${line.repeat(50_000)}last words\n`, listen);
} else listen();
