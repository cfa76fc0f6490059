/**
 * The PEM blocks in a text whose label ends in `label` ("PRIVATE KEY" finds RSA, EC and encrypted ones). In a properties file a block is
 * often one line with blanks for line ends, which OpenSSL would refuse: bodies are wrapped anew.
 */
export function pemBlocks(source: string, label: 'CERTIFICATE' | 'PRIVATE KEY'): string[] {
  const blocks: string[] = [];
  for (const match of source.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g)) {
    const [whole, name, body] = match as unknown as [string, string, string];
    if (!name.endsWith(label)) continue;
    // Old encrypted keys carry header lines, which must keep their line ends.
    if (body.includes(':')) blocks.push(`${whole}\n`);
    else
      blocks.push(
        `-----BEGIN ${name}-----\n${body.replace(/\s+/g, '').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${name}-----\n`,
      );
  }
  return blocks;
}
