/** The client against the registry of `millrace dev --registry`. */
import { startSchemaRegistry } from '../../../../packages/schema-registry/src';
import { registryContract } from '../registry-contract';

registryContract(async () => {
  const { url, close } = await startSchemaRegistry({ port: 0 });
  return { url, stop: close };
});
