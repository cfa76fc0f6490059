export { discoverJavaPlugins } from './discovery/discover-java-plugins';
export type { JarProblem, JavaDiscovery, JavaPlugin, JavaUnit, OtherJavaPlugin } from './java-plugin';
export type { HostSession, JvmKey, Jvms } from './jvm/jvms';
export type { HostDecimal, HostMap, HostValue } from './wire/host-value';
