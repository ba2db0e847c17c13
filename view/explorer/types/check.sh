#!/usr/bin/env bash
# Checks the types of the pages' code in a copy, in the given folder, which must not exist.
set -euo pipefail
copy=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cp -r "$root/view/explorer/types" "$copy"
cp "$root"/view/explorer/page/*.js "$root"/view/internal/shared/*.js "$copy/explorer"
mv "$copy/explorer/worker.js" "$copy/worker"
cp "$root/view/page/page.js" "$copy/run"
cp "$root/cmd/ringcheck/command/site/offline.js" "$copy/service"
cd "$copy"
npm ci --no-audit --no-fund --loglevel error
npm run --silent check
