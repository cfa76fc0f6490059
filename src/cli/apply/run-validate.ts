/** `millrace validate` */
import { EXIT } from '../exit-codes';
import { readDocuments } from '../documents/read-documents';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { withClient } from '../rest/with-client';
import { validateConfigs, validationText } from './validate-configs';

export async function run(invocation: Invocation): Promise<number> {
  const { recursive } = invocation.options as { recursive?: boolean };
  const documents = await readDocuments({ paths: invocation.args, isRecursive: recursive }, invocation.io);
  return await withClient(invocation, async (client) => {
    const results = await validateConfigs(client, documents);
    writeAnswer(invocation, results, () => validationText(results));
    return results.some(({ fields }) => fields.length > 0) ? EXIT.no : EXIT.success;
  });
}
