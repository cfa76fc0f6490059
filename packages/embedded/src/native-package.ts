/** Packages with native code are optional: each has a fallback in JavaScript, which is slower. */
import { createRequire } from 'node:module';

/** `off`: no native package is loaded, for example because one of them crashes on this machine. */
const SETTING = 'MILLRACE_NATIVE';

/** Null if the package is not installed, has no binary for this platform, or is switched off. */
export function nativePackage<T>(name: string): T | null {
  if (process.env[SETTING] === 'off') return null;
  try {
    return createRequire(__filename)(name) as T;
  } catch {
    return null;
  }
}
