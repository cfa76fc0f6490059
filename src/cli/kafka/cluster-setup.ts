/**
 * The worker settings with which a command connects to Kafka: of `--config`, of the context, of the
 * environment; otherwise those of `millrace dev`. The context does not count if a URL names another cluster.
 */
import { dirname, resolve } from 'node:path';
import { chosenContext } from '../context/server';
import { contextsPath } from '../context/contexts-file';
import { commandConfig } from '../command-config';
import type { Invocation } from '../program/command-spec';
import type { WorkerSetup } from '../read-config';
import { clusterOptions } from '../worker-options';

/** Rejects with a ConfigError about the first invalid setting. @param signal ends the reading of a pipe */
export async function clusterSetup(
  invocation: Pick<Invocation, 'options' | 'io'>,
  signal?: AbortSignal,
): Promise<WorkerSetup> {
  const { io } = invocation;
  const given = clusterOptions(invocation);
  const ofContext = given.file === undefined ? chosenContext(invocation)?.config : undefined;
  const file = ofContext === undefined ? given.file : resolve(dirname(contextsPath(io)), ofContext);
  return await commandConfig({ ...given, ...(file !== undefined && { file }) }, io, signal);
}
