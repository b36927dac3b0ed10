# syntax=docker/dockerfile:1
# One file for every service: docker build --build-arg SERVICE=retrieval .
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /lectern
COPY package.json package-lock.json .npmrc ./
COPY libs libs
COPY services services
COPY apps apps
COPY e2e/package.json e2e/package.json
COPY bench/package.json bench/package.json
RUN npm ci --loglevel=error
COPY nx.json tsconfig.base.json tsconfig.build.json ./
RUN npx nx run-many -t build --skip-nx-cache && npm prune --omit=dev --loglevel=error

FROM ${NODE_IMAGE} AS run
ARG SERVICE
ENV NODE_ENV=production SERVICE=${SERVICE} HEALTH_HOST=0.0.0.0 HEALTH_PORT=9464 OTEL_SERVICE_NAME=lectern-${SERVICE}
WORKDIR /lectern
COPY --from=build --chown=node:node /lectern/node_modules node_modules
COPY --from=build --chown=node:node /lectern/package.json package.json
COPY --from=build --chown=node:node /lectern/libs libs
COPY --from=build --chown=node:node /lectern/services services
COPY --from=build --chown=node:node /lectern/apps apps
COPY --chown=node:node models models
RUN mkdir -p /var/lib/lectern && chown node:node /var/lib/lectern
USER node
VOLUME /var/lib/lectern
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "const port = process.env.SERVICE === 'mcp-gateway' ? process.env.PORT || 8080 : process.env.HEALTH_PORT; fetch('http://127.0.0.1:' + port + '/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "-c", "exec node --import ./libs/telemetry/dist/register.js services/${SERVICE}/dist/main.js"]
