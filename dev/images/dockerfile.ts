/** Reads a Dockerfile. Pure. Supports only the instruction forms that ours use. */

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  /** The last stage has none. */
  readonly name: string | undefined;
  /** An image, or the name of an earlier stage. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** What a container engine does with the image of a stage. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly health: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly workdir: string;
}

/** @throws Error if there is an instruction before the first FROM */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , stage] = rest.split(/\s+/);
      stages.push({ name: stage, base, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`${name} is before the first FROM`);
      stage.instructions.push({ name, rest });
    }
  }
  return stages;
}

/** @param buildArgs values of `--build-arg`, which override the defaults of ARG */
export function imageConfig(
  { instructions }: Stage,
  { buildArgs = {}, baseEnv = {} }: { buildArgs?: Record<string, string>; baseEnv?: Record<string, string> } = {},
): ImageConfig {
  const args: Record<string, string> = {};
  const env: Record<string, string> = { ...baseEnv };
  const labels: Record<string, string> = {};
  const forms = { entrypoint: [] as string[], command: [] as string[], health: [] as string[] };
  let workdir = '/';
  for (const { name, rest } of instructions) {
    if (name === 'ENTRYPOINT') forms.entrypoint = execForm(rest);
    else if (name === 'CMD') forms.command = execForm(rest);
    else if (name === 'HEALTHCHECK') forms.health = execForm(rest.slice(rest.indexOf('[')));
    else if (name === 'WORKDIR') workdir = rest.trim();
    else if (name === 'ENV') Object.assign(env, pairs(rest, { ...args, ...env }));
    else if (name === 'LABEL') Object.assign(labels, pairs(rest, { ...args, ...env }));
    else if (name === 'ARG') {
      const defaults = pairs(rest, args);
      for (const [key, value] of Object.entries(defaults)) args[key] = buildArgs[key] ?? value;
    }
  }
  return { ...forms, env, labels, workdir };
}

/** The shell form is refused: its process 1 is a shell, which passes no signals on. */
function execForm(text: string): string[] {
  if (!text.trim().startsWith('[')) throw new Error(`use the exec form, ["…"], instead of ${text}`);
  return JSON.parse(text) as string[];
}

/** `a=b c="d $E"`, with variables replaced. */
function pairs(text: string, variables: Readonly<Record<string, string>>): Record<string, string> {
  const found = [...text.matchAll(/([\w.-]+)=("[^"]*"|\S*)/g)];
  return Object.fromEntries(
    found.map(([, key = '', value = '']) => [
      key,
      value.replace(/^"|"$/g, '').replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables[name] ?? ''),
    ]),
  );
}
