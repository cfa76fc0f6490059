/** The commands that ask the REST API, against Java's worker. */
import type { StartedWorker } from '../../../dev/services/worker';
import { Cluster, describeWithJava } from '../../conformance/java/fixtures';
import { uniqueName } from '../../helpers/unique-name';
import { testConnectorVerbs } from '../cli/connector-verbs';

describeWithJava('commands about connectors of Java’s worker', () => {
  let cluster: Cluster;
  let worker: StartedWorker;
  beforeAll(async () => {
    cluster = await Cluster.create();
    worker = await cluster.java();
  });
  afterAll(() => cluster?.close());
  testConnectorVerbs(() => worker, uniqueName('verbs'), false);
});
