/** Clients in other languages against the embedded broker, each with a program of its own (kafka-client §4). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoGo } from '../../../dev/services/go-tools';
import { buildFranzGo, fetchKafkaPython, KAFKA_PYTHON } from '../../../dev/services/kafka-clients';
import { ROOT } from '../../../dev/services/paths';
import { whyNoPip } from '../../../dev/services/python-packages';
import { brokers } from '../../embedded/broker-harness';
import { EXPECTED, outcomeOf } from './application';

const BUILD_MS = 900_000;
const start = brokers();
const noPip = whyNoPip();
if (noPip !== null) process.stderr.write(`SKIPPED: the embedded broker is not tried with kafka-python. ${noPip}\n`);
const noGo = whyNoGo();
if (noGo !== null) process.stderr.write(`SKIPPED: the embedded broker is not tried with franz-go. ${noGo}\n`);

const WHAT = 'lists topics, produces (compressed, idempotent, transactional), consumes in a group, reads its offsets';

(noPip === null ? test : test.skip)(
  `kafka-client 4: kafka-python ${WHAT}`,
  async () => {
    const PYTHONPATH = await fetchKafkaPython();
    const { bootstrapServers } = await start();
    const program = join(__dirname, 'kafka-python.py');
    expect(await outcomeOf('python3', [program, bootstrapServers], { PYTHONPATH })).toEqual(EXPECTED);
  },
  BUILD_MS,
);

(noGo === null ? test : test.skip)(
  `kafka-client 4: franz-go ${WHAT}`,
  async () => {
    const program = await buildFranzGo(join(__dirname, 'franz-go'));
    const { bootstrapServers } = await start();
    expect(await outcomeOf(program, [bootstrapServers])).toEqual(EXPECTED);
  },
  BUILD_MS,
);

test('the README of the broker names the tested versions', () => {
  const readme = readFileSync(join(ROOT, 'packages', 'embedded', 'README.md'), 'utf8');
  const [, franzGo] = /franz-go v(\S+)/.exec(readFileSync(join(__dirname, 'franz-go', 'go.mod'), 'utf8'))!;
  expect(readme).toContain(`kafka-python ${KAFKA_PYTHON}`);
  expect(readme).toContain(`franz-go ${franzGo}`);
});
