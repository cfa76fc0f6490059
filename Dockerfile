# docker build -t millrace .
# `npm run check:image` runs these steps without a container engine: use only plain RUN, COPY and CMD forms.
# Base images are pinned by digest: `npm run pin:images -- https://REGISTRY` updates them.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts
RUN npm run build
RUN npm prune --ignore-scripts --omit=dev
# Keeps only what a worker needs at run time.
RUN rm -rf connectors/*/src connectors/*/tsconfig* packages/*/src packages/*/tsconfig*

FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json /app/worker.properties ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/packages ./packages
COPY --from=build /app/connectors ./connectors
USER node
EXPOSE 8083
# Settings: mount a worker.properties, or set BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC,
# STATUS_STORAGE_TOPIC and CONNECT_* (CONNECT_OFFSET_FLUSH_INTERVAL_MS is offset.flush.interval.ms).
# If CONNECT_LISTENERS changes the port, set HEALTH_URL. With authentication, set CONNECT_REST_AUTH_OPEN_PATHS=/health.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.HEALTH_URL || 'http://127.0.0.1:8083/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "start", "worker.properties"]
