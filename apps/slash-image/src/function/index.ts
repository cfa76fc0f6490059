/**
 * Entry point for a function host: `index.handler`. Missing settings are logged once. The function loads nevertheless
 * and returns 401 without a signing secret, 500 without an image key.
 */
import { createFunction } from './create';
import { createLog } from './log';

const { handler, problems } = createFunction(process.env);
if (problems.length > 0) createLog('error')('error', 'the function is not configured', { problems });

export { handler };
