# docker build -t pitot .        docker run --rm -p 8080:8080 -e PITOT_UPSTREAM=http://… -e PITOT_ADMIN_TOKEN=… pitot
ARG NODE_IMAGE=node:24.11.1-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /pitot
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json vite.page.config.ts ./
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /pitot
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
# The image is built without .git: --build-arg PITOT_COMMIT=$(git rev-parse HEAD) puts it into pitot_build_info.
ARG PITOT_COMMIT=unknown
# In a container, loopback would reach nobody. An admin port that others can reach wants PITOT_ADMIN_TOKEN,
# or PITOT_ADMIN_PUBLIC=true where the network around it is closed; without either, Pitot refuses to start.
ENV NODE_ENV=production \
    PITOT_COMMIT=${PITOT_COMMIT} \
    PITOT_LISTEN=0.0.0.0:8080 \
    PITOT_ADMIN=0.0.0.0:9464
WORKDIR /pitot
COPY package.json LICENSE ./
COPY --from=packages /pitot/node_modules node_modules
COPY --from=build /pitot/dist dist
# For the usage log and the state, where a configuration asks for them: a volume mounted here is Pitot's to write.
RUN install -d -o node -g node /var/lib/pitot
USER node
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PITOT_ADMIN.split(':').pop()}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell in between: node gets SIGTERM itself, drains, and exits 0.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
