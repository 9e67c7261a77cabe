#!/usr/bin/env bash
# Checks the files of config/ that deploy the daemon, each with the tools of those who read it, without a cluster or an
# engine: compose.yaml by the loader of Docker Compose, the Kubernetes objects by the types of Kubernetes and KEDA, the unit
# by systemd, the alert rules by Prometheus. What they mean for the daemon is checked by test/docs.
set -euo pipefail
cd "$(dirname "$0")/.."
COMPOSE_GO=v2.16.2
KUBERNETES_MODELS=5.1.0
KEDA_MODELS=2.0.0
# systemd's own scale: 0 is fully confined, 10 not at all. 1.4 of it is what bubblewrap needs to confine the detectors.
EXPOSURE_LIMIT=3.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=${XDG_CACHE_HOME:-$HOME/.cache}/attestd-ci

compose=$tools/compose-go-$COMPOSE_GO
if [ ! -x "$compose" ]; then
  GOBIN=$work go install "github.com/compose-spec/compose-go/v2/cmd@$COMPOSE_GO" 2>"$work/log" || { cat "$work/log"; exit 1; }
  mkdir -p "$tools" && mv "$work/cmd" "$compose"
fi
"$compose" config/compose.yaml >/dev/null
echo 'config/compose.yaml: what Compose expects'

(cd "$work" && npm install --silent --ignore-scripts --no-save --prefix "$work" \
  "kubernetes-models@$KUBERNETES_MODELS" "@kubernetes-models/keda@$KEDA_MODELS")
node .ci/kubernetes.mjs "$work"

# systemd looks whether the programs are there; node stands for itself.
sed "s#/usr/bin/node#$(command -v node)#" config/systemd/attestd.service >"$work/attestd.service"
systemd-analyze verify "$work/attestd.service"
exposure=$(systemd-analyze security --offline=true config/systemd/attestd.service | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p')
awk "BEGIN { exit !($exposure <= $EXPOSURE_LIMIT) }" || { echo "The unit's exposure is $exposure."; exit 1; }
echo "config/systemd/attestd.service: verified, exposure $exposure of 10"

promtool check rules config/prometheus/alerts.yaml >/dev/null
promtool test rules config/prometheus/alerts.test.yaml >/dev/null
echo 'config/prometheus/alerts.yaml: each rule fires when it should'
