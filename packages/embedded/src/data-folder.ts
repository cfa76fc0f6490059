/**
 * Who may use a data folder: one broker at a time. The lock is the operating system's and ends with its holder, however
 * that dies, so there are no stale locks to judge. Beside it, `broker.json` says where the holder can be reached.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BrokerStartError } from './start-error';

export interface RunningBroker {
  readonly pid: number;
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly clusterId: string;
}

export interface DataFolderClaim {
  /** Others that find the folder in use can read where its broker is. */
  announce(broker: RunningBroker): void;
  release(): void;
}

const LOCK = 'broker.lock';
const ANNOUNCEMENT = 'broker.json';

/**
 * Makes the folder when it is not there, for this user alone.
 * @throws BrokerStartError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`
 */
export async function claimDataFolder(folder: string): Promise<DataFolderClaim> {
  const unusable = (reason: string, cause?: unknown): BrokerStartError =>
    new BrokerStartError('DATA_FOLDER_UNUSABLE', `The data folder ${folder} ${reason}.`, cause);
  // A bare descriptor: a FileHandle would be closed, and the folder unlocked, once nobody refers to it.
  let fd: number;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (holdsSomethingElse(folder)) throw unusable('holds files that are no broker’s; name an empty or a new one');
    fd = openSync(join(folder, LOCK), 'a');
  } catch (error) {
    throw error instanceof BrokerStartError ? error : unusable(`cannot be used: ${(error as Error).message}`, error);
  }
  try {
    // Loaded here: a broker in memory has no need of native code.
    const { tryLock } = await import('fs-native-extensions');
    if (!tryLock(fd)) {
      throw new BrokerStartError('DATA_FOLDER_IN_USE', `The data folder ${folder} is in use by another broker.`);
    }
    // What a holder that was killed has left.
    rmSync(join(folder, ANNOUNCEMENT), { force: true });
  } catch (error) {
    closeSync(fd);
    throw error instanceof BrokerStartError ? error : unusable(`cannot be locked: ${(error as Error).message}`, error);
  }
  return {
    announce(broker) {
      const temporary = join(folder, `${ANNOUNCEMENT}.tmp`);
      writeFileSync(temporary, JSON.stringify(broker));
      renameSync(temporary, join(folder, ANNOUNCEMENT));
    },
    release() {
      rmSync(join(folder, ANNOUNCEMENT), { force: true });
      closeSync(fd);
    },
  };
}

/** What the folder's broker has announced; null when none has yet. It may have died since: ask it. */
export function readRunningBroker(folder: string): RunningBroker | null {
  try {
    return JSON.parse(readFileSync(join(folder, ANNOUNCEMENT), 'utf8')) as RunningBroker;
  } catch {
    return null;
  }
}

/** Without `topics.json`, files of a broker's names are somebody else's, and a broker would clear them away. */
function holdsSomethingElse(folder: string): boolean {
  if (existsSync(join(folder, 'topics.json'))) return false;
  const names = readdirSync(folder);
  const logs = names.includes('logs') ? readdirSync(join(folder, 'logs')) : [];
  return logs.length > 0 || names.includes('groups.log') || names.includes('transactions.log');
}
