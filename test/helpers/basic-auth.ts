/** Settings for HTTP Basic, with the files that they name. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE = 'org.apache.kafka.connect.rest.basic.auth.extension';

export const EXTENSION = { 'rest.extension.classes': `${PACKAGE}.BasicAuthSecurityRestExtension` };

/** The JVM flag that names the JAAS file. */
export const jvmFlag = (jaasFile: string): string => `-Djava.security.auth.login.config=${jaasFile}`;

/** Writes a JAAS file and a credentials file into the folder. Resolves with the path of the first. */
export async function writeLogins(folder: string, users: string): Promise<string> {
  const file = join(folder, 'users.properties');
  const jaas = join(folder, 'jaas.conf');
  await writeFile(file, users);
  await writeFile(jaas, `KafkaConnect {\n  ${PACKAGE}.PropertyFileLoginModule required\n  file="${file}";\n};\n`);
  return jaas;
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
