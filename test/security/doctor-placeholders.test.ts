/** Secrets of the operator's machine do not go to hosts that the author of a connector config has chosen. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { codes, DoctorCommand } from '../integration/cli/doctor-command';

const TOKEN = 'token-of-the-operator';
/** Settings that an operator's machine may have for connectors of its own. */
const ENV = {
  OPERATOR_TOKEN: TOKEN,
  CONNECT_CONFIG_PROVIDERS: 'env',
  CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'EnvVarConfigProvider',
};
const CLEARTEXT_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const NO_TLS = Buffer.from('N');
const TLS_REQUEST = 8;

let command: DoctorCommand;
let rest: HttpServer;
let postgres: Server;
let received = '';
let config: Record<string, string>;

const portOf = (server: Server | HttpServer): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  command = await DoctorCommand.create();
  postgres = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (bytes[0] === 'p'.charCodeAt(0)) socket.end();
      else socket.write(bytes.length === TLS_REQUEST ? NO_TLS : CLEARTEXT_PASSWORD);
    });
  });
  await new Promise<void>((resolve) => postgres.listen(0, '127.0.0.1', resolve));
  config = {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'database.hostname': '127.0.0.1',
    'database.port': String(portOf(postgres)),
    'database.user': 'u',
    'database.password': '${env:OPERATOR_TOKEN}',
    'database.dbname': 'd',
    'topic.prefix': 'p',
  };
  rest = createHttpServer((request, response) => {
    const state = { state: 'RUNNING', worker_id: 'w:8083' };
    const shop = { info: { name: 'shop', config }, status: { connector: state, tasks: [{ id: 0, ...state }] } };
    response.end(JSON.stringify(request.url === '/' ? { version: '1', kafka_cluster_id: 'c' } : { shop }));
  });
  await new Promise<void>((resolve) => rest.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => void (received = ''));
afterAll(async () => {
  rest.close();
  postgres.close();
  await command.remove();
});

const ask = (...args: string[]): ReturnType<DoctorCommand['run']> =>
  command.run([...args, '--url', `http://127.0.0.1:${portOf(rest)}`], ENV);

test('doctor sends no secret of its machine to the host of a connector that the cluster has', async () => {
  const answer = await ask();
  expect(received).toBe('');
  expect(codes(answer)).toContain('unchecked DOCTOR_PLACEHOLDERS');
  const finding = answer.report.findings.find(({ code }) => code === 'DOCTOR_PLACEHOLDERS');
  expect(finding).toMatchObject({ subject: 'connector shop', message: expect.stringContaining('database.password') });
  expect(finding?.cure).toContain('--resolve-locally');
});

test('doctor resolves the placeholders of a document that the command line names', async () => {
  await ask(await command.documentFile(config));
  expect(received).toContain(TOKEN);
});

test('with --resolve-locally, doctor resolves placeholders of the cluster', async () => {
  await ask('--resolve-locally');
  expect(received).toContain(TOKEN);
});
