/** The reference loader of compose files, which `docker compose` uses, too. Needs no container engine. */
import { join } from 'node:path';
import { goInstall } from './go-tools';
import { keptDownload } from './kept-download';
import { cacheFolder } from './paths';

const VERSION = 'v2.10.1';

/** Builds it the first time, which takes some ten seconds. Resolves with the program. */
export async function fetchComposeSpec(): Promise<string> {
  const folder = await keptDownload({
    folder: join(cacheFolder(), 'compose-spec'),
    mark: { file: 'version', text: VERSION },
    fill: async (partial) => await goInstall('github.com/compose-spec/compose-go/v2/cmd', VERSION, partial),
  });
  // Go names a program after its folder.
  return join(folder, 'cmd');
}
