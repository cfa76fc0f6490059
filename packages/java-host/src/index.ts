export type { JavaPlugin } from './java-plugin';
export type { HostSession, JvmKey, Jvms } from './jvm/jvms';
export type { HostDecimal, HostMap, HostValue } from './wire/host-value';
