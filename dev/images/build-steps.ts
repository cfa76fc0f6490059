/** Runs the build steps of a Dockerfile without a container engine: the file system of each stage is a folder. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import type { Instruction, Stage } from './dockerfile';

export interface BuildFolders {
  /** The build context. */
  readonly context: string;
  /** Gets a folder for each stage. */
  readonly stages: string;
}

/** Returns the folder of the last stage: the image without its base. */
export function runBuildSteps(stages: readonly Stage[], folders: BuildFolders): string {
  let root = '';
  for (const stage of stages) {
    root = join(folders.stages, stage.name ?? 'image');
    const base = join(folders.stages, stage.base);
    if (!stage.base.includes('/') && existsSync(base)) copyTree(base, root);
    else mkdirSync(root, { recursive: true });
    runStage(stage, root, folders);
  }
  return root;
}

function runStage({ instructions, base }: Stage, root: string, folders: BuildFolders): void {
  // As in the only stage that others are built from.
  let workdir = base.includes('@') ? '/' : '/app';
  for (const { name, rest } of instructions) {
    if (name === 'WORKDIR') {
      workdir = rest.trim();
      mkdirSync(join(root, workdir), { recursive: true });
    } else if (name === 'RUN') runCommand(inFolder(rest, root), join(root, workdir));
    else if (name === 'COPY') copy({ name, rest }, { root, workdir }, folders);
  }
}

/** The text with paths of the image as paths of this machine. */
export function inFolder(text: string, root: string): string {
  return text.replace(/(^|\s)\/(?=(?:app|data)\b)/g, `$1${root}/`);
}

/** @throws Error if the command does not exit with 0 */
export function runCommand(command: string, cwd: string): void {
  console.log(`+ ${command}`);
  const { status } = spawnSync('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} exited with status ${status}`);
}

/** A folder's content is copied, not the folder itself. */
function copy({ rest }: Instruction, to: { root: string; workdir: string }, folders: BuildFolders): void {
  const words = rest.trim().split(/\s+/);
  const [, stage] = /^--from=(\S+)$/.exec(words[0] ?? '') ?? [];
  if (stage !== undefined) words.shift();
  const from = stage === undefined ? folders.context : join(folders.stages, stage);
  const given = words.pop() as string;
  const target = join(to.root, posix.resolve(to.workdir, given));
  for (const word of words) {
    const source = join(from, word);
    const isIntoFolder = given.endsWith('/') && !statSync(source).isDirectory();
    copyTree(source, isIntoFolder ? join(target, basename(source)) : target);
  }
}

function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}
