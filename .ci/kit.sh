#!/usr/bin/env bash
# Checks the files of config/ that deploy the daemon, each with the tools of those who read it, without a cluster or an
# engine: compose.yaml by the loader of Docker Compose, the Kubernetes objects, rendered by kustomize, by the types of Kubernetes,
# KEDA and the Prometheus operator, the unit by systemd, the alert rules by Prometheus. What they mean for the daemon is checked by
# test/docs.
set -euo pipefail
cd "$(dirname "$0")/.."
COMPOSE_GO=v2.16.2
KUSTOMIZE=v5.7.1
KUBERNETES_MODELS=5.1.0
KEDA_MODELS=2.0.0
PROMETHEUS_OPERATOR_MODELS=6.0.0
# systemd's own scale: 0 is fully confined, 10 not at all. 1.4 of it is what bubblewrap needs to confine the detectors,
# 0.2 that systemd-notify may speak for the daemon (NotifyAccess=all).
EXPOSURE_LIMIT=3.1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=${XDG_CACHE_HOME:-$HOME/.cache}/attestd-ci

# Builds a Go program once: the file it is kept as, its module with a version, and the name under which Go installs it.
built() {
  local kept=$tools/$1
  if [ ! -x "$kept" ]; then
    GOBIN=$work go install "$2" 2>"$work/log" || { cat "$work/log" >&2; return 1; }
    mkdir -p "$tools" && mv "$work/$3" "$kept"
  fi
  echo "$kept"
}

compose=$(built "compose-go-$COMPOSE_GO" "github.com/compose-spec/compose-go/v2/cmd@$COMPOSE_GO" cmd)
"$compose" config/compose.yaml >/dev/null
echo 'config/compose.yaml: what Compose expects'

(cd "$work" && npm install --silent --ignore-scripts --no-save --prefix "$work" \
  "kubernetes-models@$KUBERNETES_MODELS" "@kubernetes-models/keda@$KEDA_MODELS" \
  "@kubernetes-models/prometheus-operator@$PROMETHEUS_OPERATOR_MODELS")
# An overlay with all there is: the folder as it stands, its component, and the links that kustomization.yaml shows in its last lines.
kustomize=$(built "kustomize-$KUSTOMIZE" "sigs.k8s.io/kustomize/kustomize/v5@$KUSTOMIZE" kustomize)
mkdir "$work/overlay"
base=$(realpath --relative-to="$work/overlay" config/kubernetes)
{
  printf 'resources: [%s]\ncomponents: [%s/monitoring]\n' "$base" "$base"
  sed -n '/^# replacements:/,$s/^# //p' config/kubernetes/kustomization.yaml
} >"$work/overlay/kustomization.yaml"
"$kustomize" build "$work/overlay" >"$work/rendered.yaml"
for kind in PodMonitor PrometheusRule ScaledObject; do grep -q "^kind: $kind$" "$work/rendered.yaml"; done
if grep 'runbook_url:' "$work/rendered.yaml" | grep -v 'runbook_url: https://HOST/docs/alerts.md#attestd[a-z]*$'; then
  echo 'These alerts have no link.'
  exit 1
fi
node .ci/kubernetes.mjs "$work" "$work/rendered.yaml"

# systemd looks whether the programs are there; node stands for itself.
sed "s#/usr/bin/node#$(command -v node)#" config/systemd/attestd.service >"$work/attestd.service"
systemd-analyze verify "$work/attestd.service"
exposure=$(systemd-analyze security --offline=true config/systemd/attestd.service | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p')
awk "BEGIN { exit !($exposure <= $EXPOSURE_LIMIT) }" || { echo "The unit's exposure is $exposure."; exit 1; }
echo "config/systemd/attestd.service: verified, exposure $exposure of 10"

promtool check rules config/prometheus/alerts.yaml >/dev/null
promtool test rules config/prometheus/alerts.test.yaml >/dev/null
echo 'config/prometheus/alerts.yaml: each rule fires when it should'
