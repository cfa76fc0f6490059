/**
 * What a function host loads: `index.handler`. Settings that are missing are logged once; the function loads all the
 * same and answers 401 without a signing secret, 500 without an image key.
 */
import { createFunction } from './create';
import { createLog } from './log';

const { handler, problems } = createFunction(process.env);
if (problems.length > 0) createLog('error')('error', 'the function is not configured', { problems });

export { handler };
