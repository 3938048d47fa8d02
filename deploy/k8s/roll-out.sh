#!/bin/sh
# Brings a cluster to what an overlay says, in an order in which nothing is lost: stores and settings, migrations, then service by service,
# readers before writers, so that whoever reads a record knows its form before anybody writes it. Each step has ended well before the next begins.
#
#   deploy/k8s/roll-out.sh deploy/k8s/overlays/production [arguments for every kubectl, such as --context=…]
set -eu
overlay=${1:?usage: roll-out.sh OVERLAY [kubectl arguments]}
shift
namespace=hookline
# For each step. What takes longer has failed: the pods that ran go on, and another roll-out, of what was before or of what is mended, goes on too.
limit=${HOOKLINE_ROLL_OUT_LIMIT:-15m}

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
kubectl "$@" kustomize "$overlay" > "$manifests"

apply() { kubectl "$@" apply --server-side --force-conflicts --filename "$manifests" --selector "$selector"; }

echo '== settings and stores'
selector='hookline/step notin (setup, service, scaling)'
apply "$@"
if grep -q '^kind: Kafka$' "$manifests"; then
  kubectl "$@" wait --namespace hookline-kafka --for=condition=Ready --timeout="$limit" kafka/hookline
fi

# Pods that were started with an older Secret are replaced.
version=$(kubectl "$@" get secret --namespace "$namespace" --ignore-not-found --output 'jsonpath={.metadata.resourceVersion}' hookline-secrets)
sed "s/hookline\/secrets: unknown/hookline\/secrets: 'version-${version:-none}'/" "$manifests" > "$manifests.with-secret"
mv "$manifests.with-secret" "$manifests"

echo '== migrations, topics, schemas'
selector='hookline/step=setup'
kubectl "$@" delete job --namespace "$namespace" --selector "$selector" --ignore-not-found --wait
apply "$@"
if ! kubectl "$@" wait --namespace "$namespace" --for=condition=Complete --timeout="$limit" job/hookline-setup; then
  kubectl "$@" logs --namespace "$namespace" --tail=20 job/hookline-setup >&2
  echo 'The setup has failed; no service was changed.' >&2
  exit 1
fi

services='projector dispatcher dedup api ingress console'
# All in one process: while its pods are replaced one by one, older ones read what newer ones write, as when separate services go back a version.
if grep -q '^  name: hookline-serve$' "$manifests"; then services=serve; fi
for service in $services; do
  echo "== $service"
  selector="hookline/step=service, app.kubernetes.io/component=$service"
  apply "$@"
  kubectl "$@" rollout status --namespace "$namespace" --timeout="$limit" "deployment/hookline-$service"
done

selector='hookline/step=scaling'
if grep -q 'hookline/step: scaling' "$manifests"; then
  echo '== scaling'
  apply "$@"
fi
