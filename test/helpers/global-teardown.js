module.exports = async function globalTeardown() {
  await Promise.all((globalThis.millraceServices ?? []).map((service) => service.stop()));
};
