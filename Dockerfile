# Node 24 gets fixes until April 2028 (long-term support), and this Debian regular security updates. Full versions, so that
# the same commit builds the same image: raise them on purpose, both to one Debian.
# Debian rather than Alpine: onnxruntime and sharp bring binaries for glibc.
ARG NODE_IMAGE=node:24.21.0-trixie-slim
ARG DEBIAN_IMAGE=debian:13.7-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No dependency needs its install script (package.json, allowScripts).
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY .ci/link-bin.mjs .ci/empty-database.mjs .ci/prune-image.mjs .ci/
COPY src src
RUN npm run build && chmod 755 dist/cli/main.js
RUN npm prune --omit=dev --ignore-scripts && node .ci/prune-image.mjs
# Node's own symbols, a fifth of its program: only a debugger of native code reads them.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends binutils >/dev/null \
  && strip --strip-unneeded -o /usr/local/bin/node-stripped /usr/local/bin/node

# Nothing is installed at run time: Node's program alone, without npm and its headers.
FROM ${DEBIAN_IMAGE}
# ffmpeg decodes H.264 and the other formats that the npm decoders do not read.
COPY .ci/install-ffmpeg.sh /tmp/
RUN sh /tmp/install-ffmpeg.sh && rm /tmp/install-ffmpeg.sh
RUN useradd --uid 1000 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin attestd \
  && install -d -o attestd -g attestd -m 0700 /data \
  && ln -s /app/dist/cli/main.js /usr/local/bin/attestd
COPY --from=build /usr/local/bin/node-stripped /usr/local/bin/node
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY models models
COPY samples samples
ENV NODE_ENV=production ATTESTD_DATA_DIR=/data
# The user `attestd`, by number so that an orchestrator can see that it is not root.
USER 1000:1000
VOLUME /data
# Console, metrics and health listen on loopback, as outside a container. To publish the port, set ATTESTD_HTTP_HOST to
# 0.0.0.0 (health and metrics are then open, the console wants ATTESTD_HTTP_PASSWORD); config/compose.yaml does so.
EXPOSE 8780
# Alive, not ready: a low stake or a silent service is no reason to restart the container. The second address is the sandbox's.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const ask = (url) => fetch(`http://127.0.0.1:${url}`).then((r) => r.ok || Promise.reject()); Promise.any([ask(`${process.env.ATTESTD_HTTP_PORT || 8780}/healthz`), ask('8787/api/v1/health')]).then(() => process.exit(0), () => process.exit(1))"]
# Drains; allow more than ATTESTD_DRAIN_MS (25 s) before SIGKILL. Node handles the signal itself, so no init is needed.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["run"]
