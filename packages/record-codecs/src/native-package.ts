/** Packages with native code are optional. */
import { createRequire } from 'node:module';

/** `off`: no native package is loaded, for example because one of them crashes on this machine. */
const SETTING = 'MILLRACE_NATIVE';

const failed = new Map<string, string>();

/** Why packages could not be loaded so far, by name. */
export const nativeFailures: ReadonlyMap<string, string> = failed;

/** Null if the package is not installed, has no binary for this platform, or is switched off. */
export function nativePackage<T>(name: string): T | null {
  if (process.env[SETTING] === 'off') {
    failed.set(name, `${SETTING}=off`);
    return null;
  }
  try {
    return createRequire(__filename)(name) as T;
  } catch (error) {
    failed.set(name, (error as Error).message.split('\n')[0]!);
    return null;
  }
}
