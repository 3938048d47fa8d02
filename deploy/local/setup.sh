#!/bin/sh
# Node and what package-lock.json says. Runs before there is anything else, so it needs a shell alone.
set -e
cd "$(dirname "$0")/../.."

advice='see https://nodejs.org/en/download'
case "$(uname)" in
  Darwin) advice='brew install node' ;;
  *)
    # Debian 12 has only Node 18.
    offered=$(apt-cache policy nodejs 2> /dev/null | sed -n 's/^ *Candidate: *\([0-9]*\).*/\1/p')
    if [ "${offered:-0}" -ge 20 ]; then advice='sudo apt-get install -y nodejs npm'; fi
    ;;
esac
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  echo "Node 20 or later with npm is missing: $advice" >&2
  exit 1
fi
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  echo "Node 20 or later is needed to begin with, this is $(node --version): $advice" >&2
  exit 1
fi

mkdir -p .hookline
# Two of these at once would pull node_modules from under each other.
if command -v flock > /dev/null; then
  exec 9> .hookline/setup.lock
  flock 9
fi
if node deploy/local/install/packages-match.js; then exit 0; fi
echo 'installing npm packages (package-lock.json is not what node_modules holds)'
npm ci --no-progress --loglevel=error
