/** Answers as PostgreSQL 9.6 does, which knows neither publications nor the catalogs of later versions. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const INT4 = 23;
const TEXT = 25;
const BOOL = 16;
/** Of the query for `server_version_num`. */
const FACTS: readonly (readonly [name: string, type: number, value: string])[] = [
  ['version', INT4, '90624'],
  ['wal_level', TEXT, 'logical'],
  ['user', TEXT, 'postgres'],
  ['in_recovery', BOOL, 'f'],
  ['max_slots', INT4, '10'],
  ['one_of_currency', TEXT, '0000000000000064'],
  ['sender_timeout', INT4, '60000'],
  ['may_replicate', BOOL, 't'],
];
/** Of its sessions. */
const SETTINGS: Readonly<Record<string, string>> = {
  ...{ DateStyle: 'ISO', IntervalStyle: 'postgres', TimeZone: 'UTC', extra_float_digits: '3', bytea_output: 'hex' },
  ...{ lc_monetary: 'C', standard_conforming_strings: 'on', client_encoding: 'UTF8', client_min_messages: 'warning' },
};
const TEXT_ARRAY = 1009;
const TLS_REQUEST = 80_877_103;

export class OldServer {
  private readonly sockets = new Set<Socket>();
  private readonly listener: Server = createServer((socket) => {
    this.sockets.add(socket.on('error', () => undefined));
    let isStarted = false;
    socket.on('data', (data) => {
      if (!isStarted && data.readInt32BE(4) === TLS_REQUEST) return socket.write('N');
      const answer = isStarted ? answerTo(data) : message('R', int32(0));
      isStarted = true;
      return socket.write(Buffer.concat([answer, message('Z', Buffer.from('I'))]));
    });
  });

  static async start(): Promise<OldServer> {
    const server = new OldServer();
    await new Promise<void>((resolve) => server.listener.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** Connector settings. */
  get address(): Record<string, string> {
    return {
      'database.hostname': '127.0.0.1',
      'database.port': String((this.listener.address() as AddressInfo).port),
    };
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}

/** To one message of the client. */
function answerTo(data: Buffer): Buffer {
  const query = data.toString('latin1');
  if (query.includes('SET statement_timeout')) return message('C', text('SET'));
  const settings = [...query.matchAll(/current_setting\('(\w+)', true\)/g)].map(
    ([, name = '']) => SETTINGS[name] ?? '0',
  );
  if (query.includes('ARRAY[coalesce(current_setting')) return row([['found', TEXT_ARRAY, `{${settings.join()}}`]]);
  if (!query.includes('server_version_num')) {
    const fields = ['SERROR', 'C42P01', 'Mrelation "pg_publication" does not exist', ''].map(text);
    return message('E', Buffer.concat(fields));
  }
  return row(FACTS);
}

function row(fields: readonly (readonly [name: string, type: number, value: string])[]): Buffer {
  const columns = fields.map(([name, type]) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  const values = fields.map(([, , value]) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  return Buffer.concat([
    message('T', Buffer.concat([int16(fields.length), ...columns])),
    message('D', Buffer.concat([int16(fields.length), ...values])),
    message('C', text('SELECT 1')),
  ]);
}

const message = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
