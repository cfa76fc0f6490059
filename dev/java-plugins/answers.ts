/** What Java's worker and Millrace answer about the same jars. */
import { PLUGIN_JARS, type PluginFolder } from '../services/plugin-jars';
import type { Answer, RunningWorker } from '../services/worker';
import { casesOf, type Key } from './cases';
import { differences, pluginsOnlyInJava, type Difference, type Outcome } from './differences';

export interface Compared {
  readonly questions: number;
  readonly differences: readonly Difference[];
}

/** Asks both workers the same questions about the connectors of these folders. */
export async function compareAnswers(
  java: RunningWorker,
  ours: RunningWorker,
  folders: readonly PluginFolder[],
): Promise<Compared> {
  const found: Difference[] = [];
  let questions = 0;
  async function ask(question: string, method: string, path: string, body?: object): Promise<Answer> {
    questions++;
    const answer = await java.request(method, path, body);
    const own = await ours.request(method, path, body);
    found.push(...differences(question, outcome(answer), outcome(own)));
    return answer;
  }

  const list = '/connector-plugins?connectorsOnly=false';
  questions++;
  const plugins = (await java.request('GET', list)).json as Plugin[];
  found.push(...pluginsOnlyInJava(plugins, (await ours.request('GET', list)).json));
  for (const folder of folders)
    for (const connector of PLUGIN_JARS[folder].connectors) {
      const version = plugins.find((plugin) => plugin.class === connector)?.version ?? null;
      const path = `/connector-plugins/${connector}/config`;
      // A connector of Millrace with this name answers for another version.
      const query = version === null ? '' : `?version=${encodeURIComponent(version)}`;
      const { status, json } = await ask(`${connector}: definitions`, 'GET', path + query);
      if (status !== 200) continue;
      for (const { title, config } of casesOf(connector, version, json as Key[]))
        await ask(`${connector}: ${title}`, 'PUT', `${path}/validate`, config);
    }
  return { questions, differences: found };
}

export interface Plugin {
  readonly class: string;
  readonly type: string;
  readonly version?: string | null;
}

const outcome = ({ status, json, body }: Answer): Outcome => ({ status, body: json ?? body });
