/** When a file that the engine does not stream is queued. */
import type { SealedFile } from '../../../connectors/analytics/src/batcher/staging-file';
import { Ownership } from '../../../connectors/analytics/src/request/ownership';
import { StreamingTarget } from '../../../connectors/analytics/src/request/streaming-target';
import type { Cluster } from '../../../connectors/analytics/src/service/cluster';
import { ServiceError } from '../../../connectors/analytics/src/service/service-error';
import { findFormat } from '../../../connectors/analytics/src/mapping/formats';

class Service {
  posts = 0;
  queued = 0;
  readonly warnings: string[] = [];
  readonly target: StreamingTarget;

  constructor(private readonly failure: ServiceError) {
    const cluster = {
      queryUrl: 'http://engine',
      require: async () => {
        this.posts++;
        throw await Promise.resolve(this.failure);
      },
    };
    this.target = new StreamingTarget({
      cluster: cluster as unknown as Cluster,
      queued: { ship: async () => void (await Promise.resolve(this.queued++)) },
      metrics: { streamingFallbacks: { add: () => undefined } },
      logger: { warn: (text) => void this.warnings.push(text) },
    });
  }

  async ship(): Promise<void> {
    const mapping = {
      topic: 't',
      database: 'd',
      table: 'T',
      format: findFormat('csv'),
      mapping: null,
      streaming: true,
    };
    const file = { topic: 't', partition: 0, name: 'f', bytes: 5, mapping } as unknown as SealedFile;
    await this.target.ship({ file, sourceId: 's', owner: new Ownership() });
  }
}

const rejection = (serviceCode: string, status = 400): ServiceError =>
  new ServiceError(`http://engine answers ${status} ${serviceCode}`, 'permanent', { serviceCode, status });

test.each([
  ['BadRequest_StreamingIngestionPolicyNotEnabled', 400],
  ['BadRequest_StreamingIngestionDisabledForCluster', 400],
  ['BadRequest_UpdatePolicyIncompatible', 400],
  ['Stream_InputStreamTooLarge', 400],
  ['', 413],
])('analytics-sink 56: after the rejection %j (%p), the file is queued at once', async (code, status) => {
  const service = new Service(rejection(code, status));
  await service.ship();
  expect([service.posts, service.queued]).toEqual([1, 1]);
  expect(service.warnings).toEqual([
    `Cannot stream f into d.T, queueing this file and those that fail after it: http://engine answers ${status} ${code}`,
  ]);
});

test('analytics-sink 56: after three such files, streaming pauses, and one warning is logged', async () => {
  const service = new Service(rejection('BadRequest_StreamingIngestionPolicyNotEnabled'));
  for (let i = 0; i < 5; i++) await service.ship();
  expect([service.posts, service.queued]).toEqual([3, 5]);
  expect(service.warnings).toHaveLength(1);
});

test('analytics-sink 57: any other permanent rejection is not queued', async () => {
  const service = new Service(rejection('BadRequest_TableNotExist'));
  await expect(service.ship()).rejects.toMatchObject({ serviceCode: 'BadRequest_TableNotExist' });
  expect([service.posts, service.queued]).toEqual([1, 0]);
});
