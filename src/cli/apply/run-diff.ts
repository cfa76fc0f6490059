/** `millrace diff` */
import { EXIT } from '../exit-codes';
import { readDocuments } from '../documents/read-documents';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import type { Invocation } from '../program/command-spec';
import type { ConnectClient } from '../rest/connect-client';
import { withClient } from '../rest/clients';
import { planOf, type PlanOptions, planText, planValue, presentConfigs, type Step } from '../connectors/plan';

export interface FileOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

export async function run(invocation: Invocation): Promise<number> {
  return await withClient(invocation, async (client) => {
    const steps = await readPlan(client, invocation);
    writeAnswer(invocation, planValue(steps), () => planText(steps, paintOf(invocation.io)));
    return steps.some(({ action }) => action !== 'none') ? EXIT.no : EXIT.success;
  });
}

/** Compares the files with the cluster. */
export async function readPlan(client: ConnectClient, { options, io }: Invocation): Promise<readonly Step[]> {
  const { filename, recursive } = options as unknown as FileOptions;
  planOf([], new Map(), options as PlanOptions);
  const documents = await readDocuments({ paths: filename, isRecursive: recursive }, io);
  return planOf(documents, await presentConfigs(client), options as PlanOptions);
}
