# The server and aqs in one image: docs/deploying.md says how to run it. Another BASE_PATH needs another image.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
ARG BASE_PATH=""
RUN BASE_PATH="$BASE_PATH" npm run build && npm prune --omit=dev
# The image has one Node, that of the packages, and nothing that only serves to build or to develop.
RUN install node_modules/.bin/node /node \
 && rm -r .next/cache node_modules/node-linux-* node_modules/@next/swc-* node_modules/playwright* \
          node_modules/next/dist/docs node_modules/next/dist/esm \
 && find .next node_modules -name '*.map' -delete -o -name '*.d.ts' -delete -o -path '*/next/dist/*.dev.js' -delete

FROM debian:bookworm-slim
WORKDIR /app
COPY --from=build /node /usr/local/bin/node
COPY --from=build /app/deploy/run.sh deploy/run.sh
COPY --from=build /app/package.json /app/next.config.mjs ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/lib lib
COPY --from=build /app/public public
COPY --from=build /app/.next .next
# For SQLite: a volume mounted here belongs to the user below.
RUN useradd --uid 1000 node && install -d -o node -g node /data && ln -s /app/deploy/run.sh /usr/local/bin/run
ARG BASE_PATH=""
# Node writes only to /tmp, so that all else can be read-only.
ENV NODE_ENV=production BASE_PATH=$BASE_PATH HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/aqs.db \
    NODE_COMPILE_CACHE=/tmp/compiled AQS_COMMAND="run aqs"
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["run"]
CMD ["start"]
