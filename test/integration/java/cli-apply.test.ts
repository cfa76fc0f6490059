/** `millrace apply` on Java's worker. */
import type { StartedWorker } from '../../../dev/services/worker';
import { Cluster, describeWithJava } from '../../conformance/java/fixtures';
import { ApplyFixture } from '../cli/apply-fixture';

describeWithJava("apply on Java's worker", () => {
  let cluster: Cluster;
  let worker: StartedWorker;
  let fixture: ApplyFixture;
  beforeAll(async () => {
    cluster = await Cluster.create();
    worker = await cluster.java();
    fixture = await ApplyFixture.create(worker);
  });
  afterAll(async () => {
    await fixture?.close();
    await cluster?.close();
  });

  test('a folder of 50 connectors, killed and repeated: the second time there is no change', async () => {
    await fixture.appliesTwice();
  });
});
