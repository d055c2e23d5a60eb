#!/usr/bin/env bash
# Runs the block of CONTRIBUTING.md that renames the resource, the service and the stages, on a copy of this
# working tree. Afterwards no old name may be left, and all that needs no database must pass.
set -euo pipefail
cd "$(dirname "$0")/.."

block=$(sed -n '/^## Fork it/,/^## /{ /```sh/,/```$/p; }' CONTRIBUTING.md | sed '/```/d')
[ "$block" ] || { echo 'CONTRIBUTING.md has no block of shell code in "Fork it".' >&2; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
modules=$PWD/node_modules
cd "$copy"
git init --quiet && git add --all
ln -s "$modules" node_modules

bash -euo pipefail -c "$block"

git add --all -- ':!node_modules'
# `Snippet` must not become `Snipinvoice`.
left='pets?([^a-z]|$)|pet[ _-]?store|v1-(production|staging)|[a-z]invoice|(^|[^a-z])a `?invoice'
if git grep --line-number -iE "(^|[^a-z])($left)" -- ':!*CHANGELOG*' ':!package-lock.json'; then
  echo 'The block of CONTRIBUTING.md leaves these lines wrong.' >&2
  exit 1
fi
npm run check:types
npm run check:style
npm run check:openapi
npx vitest run --project stateless
