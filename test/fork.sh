#!/usr/bin/env bash
# Runs the first block of *Fork it* in CONTRIBUTING.md, which renames the resource, the service and the stages,
# on a copy of this working tree. Afterwards no old name may be left, and `npm test` must pass.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016 # The backticks are those of Markdown.
block=$(sed -n '/^## Fork it/,/^ *```$/{ /```sh/,/```$/p; }' CONTRIBUTING.md | sed '/```/d')
[ "$block" ] || { echo 'CONTRIBUTING.md has no block of shell code in "Fork it".' >&2; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
modules=$PWD/node_modules
cd "$copy"
git init --quiet && git add --all
git -c user.name=test -c user.email=test@example.com commit --quiet --message copy
ln -s "$modules" node_modules

bash -euo pipefail -c "$block"

git add --all -- ':!node_modules'
# The last two patterns find words that the block breaks: `Snippet` as `Snipinvoice`, and `a pet` as `a invoice`.
if git grep --line-number -E \
  -e '(^|[^a-z])pet|Pet|PET' -e 'v1-(production|staging)' -e '[a-z]invoice' -e '(^|[^a-z])[Aa] `?[Ii]nvoice' \
  -- ':!*CHANGELOG*' ':!*LICENSE' ':!package-lock.json' ':!infra/templates'; then
  echo 'The block of CONTRIBUTING.md leaves these lines wrong.' >&2
  exit 1
fi
# The license demands the copyright line.
git diff --cached --exit-code HEAD -- LICENSE client/LICENSE
npm run check:types
npm run check:style
npm run check:openapi
npm test
