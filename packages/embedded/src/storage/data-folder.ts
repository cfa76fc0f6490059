/** A file lock gives each data folder a single owner. `broker.json`, beside the lock, contains the owner's address. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BrokerStartError } from '../start-error';
import { openLocked } from './file-lock';

export interface RunningBroker {
  readonly pid: number;
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly clusterId: string;
}

export interface DataFolderLock {
  /** Writes `broker.json`, from which other processes read the broker's address. */
  publish(broker: RunningBroker): void;
  release(): void;
}

const LOCK_FILE = 'broker.lock';
const ADDRESS_FILE = 'broker.json';

/**
 * Creates the folder if it does not exist, readable by this user only.
 * @throws BrokerStartError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  const unusable = (reason: string, cause?: unknown): BrokerStartError =>
    new BrokerStartError('DATA_FOLDER_UNUSABLE', `The data folder ${folder} ${reason}.`, cause);
  // A bare descriptor: a FileHandle would be closed, and the folder unlocked, when it is garbage-collected.
  let fd: number | null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (hasForeignFiles(folder))
      throw unusable('contains files that no broker has written; choose an empty or new folder');
    fd = await openLocked(join(folder, LOCK_FILE));
  } catch (error) {
    throw error instanceof BrokerStartError ? error : unusable(`cannot be used: ${(error as Error).message}`, error);
  }
  if (fd === null)
    throw new BrokerStartError('DATA_FOLDER_IN_USE', `The data folder ${folder} is in use by another broker.`);
  const owned = fd;
  try {
    // A killed owner leaves the file behind.
    rmSync(join(folder, ADDRESS_FILE), { force: true });
  } catch (error) {
    closeSync(owned);
    throw unusable(`cannot be used: ${(error as Error).message}`, error);
  }
  return {
    publish(broker) {
      const temporary = join(folder, `${ADDRESS_FILE}.tmp`);
      writeFileSync(temporary, JSON.stringify(broker));
      renameSync(temporary, join(folder, ADDRESS_FILE));
    },
    release() {
      rmSync(join(folder, ADDRESS_FILE), { force: true });
      closeSync(owned);
    },
  };
}

/** The content of `broker.json`; null if there is none. The broker may have died since: connect to it to find out. */
export function readRunningBroker(folder: string): RunningBroker | null {
  try {
    return JSON.parse(readFileSync(join(folder, ADDRESS_FILE), 'utf8')) as RunningBroker;
  } catch {
    return null;
  }
}

/** Without `topics.json`, files with a broker's names are not a broker's, and this one would delete them. */
function hasForeignFiles(folder: string): boolean {
  if (existsSync(join(folder, 'topics.json'))) return false;
  const names = readdirSync(folder);
  const logs = names.includes('logs') ? readdirSync(join(folder, 'logs')) : [];
  return logs.length > 0 || names.includes('groups.log') || names.includes('transactions.log');
}
