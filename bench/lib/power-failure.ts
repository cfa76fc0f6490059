/** What a power failure leaves of the files of a killed broker: all that was flushed, and a part of the rest. */
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Seeded } from '../../test/helpers/seeded';

/**
 * Cuts each log in the folder anywhere between its flushed bytes and its end. The other files are flushed before they
 * are put in their place. Returns the number of bytes that are lost.
 * @param journal the file that record-flushes.ts has written
 */
export function failPower(folder: string, journal: string, { below, chance }: Seeded): number {
  const flushed = new Map<number, number>();
  for (const line of readFileSync(journal, 'utf8').split('\n')) {
    const [inode, bytes] = line.split(' ').map(Number);
    if (bytes !== undefined) flushed.set(inode as number, bytes);
  }
  let lost = 0;
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith('.log'))) {
    const { ino, size } = statSync(join(folder, name));
    const atRisk = size - Math.min(flushed.get(ino) ?? 0, size);
    const cut = chance(1 / 3) ? 0 : chance(1 / 2) ? atRisk : below(atRisk + 1);
    if (cut > 0) truncateSync(join(folder, name), size - cut);
    lost += cut;
  }
  return lost;
}
