/** Creates the function from an environment. */
import { createHandler, type Handler } from './handler';
import { createGiphy } from './image/giphy';
import { createLog } from './log';
import { readSettings } from './settings';

interface CreatedFunction {
  readonly handler: Handler;
  /** Missing and invalid settings, one sentence each. */
  readonly problems: readonly string[];
}

export function createFunction(env: Readonly<Record<string, string | undefined>>): CreatedFunction {
  const { settings, problems } = readSettings(env);
  const log = createLog(settings.logLevel);
  const images = settings.imageApiKey === null ? null : createGiphy(settings, settings.imageApiKey, log);
  return { handler: createHandler({ settings, images, log }), problems };
}
