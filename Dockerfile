# The server and aqs in one image: docs/deploying.md says how to run it. Another BASE_PATH needs another image.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
ARG BASE_PATH=""
RUN BASE_PATH="$BASE_PATH" npm run build && npm prune --omit=dev && rm -rf .next/cache

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json /app/.npmrc /app/next.config.mjs ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/lib lib
COPY --from=build /app/public public
COPY --from=build /app/.next .next
# For SQLite: a volume mounted here belongs to the user below.
RUN install -d -o node -g node /data
ARG BASE_PATH=""
# npm and Node write only to /tmp, so that all else can be read-only.
ENV NODE_ENV=production BASE_PATH=$BASE_PATH HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/aqs.db \
    NODE_COMPILE_CACHE=/tmp/compiled npm_config_cache=/tmp/npm npm_config_update_notifier=false
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["npm", "start", "--silent"]
