# docker build -t millrace .
# `npm run check:image` runs these steps without a container engine: use only plain RUN, COPY and exec forms.
# Base images are pinned by digest: `npm run pin:images -- https://REGISTRY` updates them.

# What npm needs to install, without sources: their changes leave the installed packages in the cache.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
COPY packages/embedded/package.json packages/embedded/
COPY packages/java-host/package.json packages/java-host/
COPY packages/kafka-client/package.json packages/kafka-client/
COPY packages/kafka-protocol/package.json packages/kafka-protocol/
COPY packages/record-codecs/package.json packages/record-codecs/
COPY packages/schema-registry/package.json packages/schema-registry/
COPY packages/sdk/package.json packages/sdk/
COPY packages/texts/package.json packages/texts/
COPY connectors/analytics/package.json connectors/analytics/
COPY connectors/converters-schema-registry/package.json connectors/converters-schema-registry/
COPY connectors/file/package.json connectors/file/
COPY connectors/postgres/package.json connectors/postgres/
COPY connectors/transforms-debezium/package.json connectors/transforms-debezium/
# npm ci compares the lock file with all workspaces.
COPY apps/slash-image/package.json apps/slash-image/
COPY apps/users/package.json apps/users/
COPY dev/analytics-emulator/package.json dev/analytics-emulator/

# The packages that the worker and its connectors need at run time, and a list of them.
FROM manifests AS production
RUN npm ci --ignore-scripts --omit=dev --include-workspace-root --workspace packages --workspace connectors
RUN find node_modules -type f '(' -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' ')' -delete
RUN npm pkg delete devDependencies --workspaces
RUN npm pkg delete devDependencies scripts allowScripts && npm pkg set --json 'workspaces=["packages/*","connectors/*"]'
RUN npm sbom --sbom-format=cyclonedx --sbom-type=application --omit=dev > sbom.cdx.json

FROM manifests AS build
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
RUN rm -rf connectors/*/src connectors/*/*tsconfig* packages/*/src packages/java-host/java packages/*/*tsconfig*
RUN find dist packages connectors -type f '(' -name '*.map' -o -name '*.d.ts' ')' -not -path '*/node_modules/*' -delete
RUN mkdir bin && ln -s ../dist/main.js bin/millrace && chmod +x dist/main.js

FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production PATH=/app/bin:$PATH
# `millrace dev` keeps its data in the working directory. Like /tmp, it is writable for any `docker run --user`.
# File connectors are limited to /data/files, the file.root of worker.properties.
RUN mkdir -m 1777 /data /data/files
WORKDIR /data
VOLUME /data
COPY --from=production /app/node_modules /app/node_modules
COPY --from=production /app/package.json /app/sbom.cdx.json /app/
COPY --from=build /app/packages /app/packages
COPY --from=build /app/connectors /app/connectors
COPY --from=build /app/bin /app/bin
COPY --from=build /app/dist /app/dist
COPY LICENSE worker.properties /app/
COPY examples /app/examples
COPY docs/errors.md /app/docs/errors.md
USER node
EXPOSE 8083
STOPSIGNAL SIGTERM
# Settings: mount a /app/worker.properties, or set BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC,
# OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC and CONNECT_* (CONNECT_OFFSET_FLUSH_INTERVAL_MS is offset.flush.interval.ms).
# If CONNECT_LISTENERS changes the port, set HEALTH_URL. With authentication, set CONNECT_REST_AUTH_OPEN_PATHS=/health.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.HEALTH_URL || 'http://127.0.0.1:8083/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node.js is process 1: it gets the signals, and `start` and `dev` stop in order on SIGTERM and SIGINT.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["start", "/app/worker.properties"]
# docker build --build-arg REVISION=$(git rev-parse HEAD) --build-arg CREATED=$(date -u +%FT%TZ) --build-arg SOURCE=URL
ARG REVISION="" CREATED="" SOURCE=""
LABEL org.opencontainers.image.title="Millrace" \
  org.opencontainers.image.description="A Kafka Connect-compatible connector runtime for Node.js" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"
