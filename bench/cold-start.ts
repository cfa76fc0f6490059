/**
 * Time from a worker's start until its first REST response and until it is healthy, with Kafka running; its idle memory
 * and CPU; duration of its first validation and first scrape. `npm run bench -- cold-start [RUNS]` (Default: 5)
 */
import { randomBytes } from 'node:crypto';
import { useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const RUNS = Number(process.argv[2] ?? 5);
const SETTLE_MS = 15_000;

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  const group = `bench-${randomBytes(3).toString('hex')}`;

  async function start(): Promise<{
    answer: number;
    healthy: number;
    worker: Awaited<ReturnType<typeof startWorker>>;
  }> {
    const began = performance.now();
    const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group });
    const until = async (path: string) => {
      const ok = async () => (await worker.request('GET', path).catch(() => null))?.status === 200;
      await waitFor(`GET ${path}`, ok, { everyMs: 5, detail: () => worker.process.log() });
      return performance.now() - began;
    };
    try {
      return { answer: await until('/'), healthy: await until('/health'), worker };
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  heading('Cold start of a worker');
  const first = await start();
  figure('first REST answer, topics not there yet', `${whole(first.answer)} ms`);
  figure('healthy, topics not there yet', `${whole(first.healthy)} ms`);
  await first.worker.stop();

  const answers: number[] = [];
  const healthy: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const again = await start();
    answers.push(again.answer);
    healthy.push(again.healthy);
    if (i === RUNS - 1) {
      const cpu = cpuSeconds(again.worker.pid);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      figure('first REST answer', `${whole(median(answers))} ms`, '≤ 1,000 ms');
      figure('healthy', `${whole(median(healthy))} ms`);
      figure(`idle RSS after ${SETTLE_MS / 1000} s`, `${whole(residentMegabytes(again.worker.pid))} MiB`, '≤ 120 MB');
      const share = (cpuSeconds(again.worker.pid) - cpu) / (SETTLE_MS / 1000);
      figure('idle CPU', `${(share * 100).toFixed(1)} %`);
      const sink = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
      const validate = async (): Promise<string> => {
        const began = performance.now();
        await again.worker.request('PUT', `/connector-plugins/${sink}/config/validate`, { 'connector.class': sink });
        return `${whole(performance.now() - began)} ms`;
      };
      figure('first validation', await validate());
      figure('second validation', await validate());
      figure('RSS with a thread of validation', `${whole(residentMegabytes(again.worker.pid))} MiB`);
      const asked = performance.now();
      await again.worker.request('GET', '/metrics');
      figure('first scrape', `${whole(performance.now() - asked)} ms`);
    }
    await again.worker.stop();
  }
});
