#!/usr/bin/env bash
# Runs `npm run fork` on a copy of this working tree. Afterwards no old name may be left, and `npm test` must pass.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
modules=$PWD/node_modules
cd "$copy"
git init --quiet && git add --all
git -c user.name=test -c user.email=test@example.com commit --quiet --message copy
ln -s "$modules" node_modules

for wrong in '--resource Invoice' '--service my-billing' '--stages v1-prod,v1-prod' '--stages v1-live,v1-test'; do
  # shellcheck disable=SC2086 # An option and its value; the last value of an option counts.
  if tools/fork.sh --resource invoice --service billing --stages v1-prod,v1-test $wrong 2>/dev/null; then
    echo "npm run fork accepts $wrong." >&2
    exit 1
  fi
done
npm run fork -- --resource invoice --service billing --stages v1-prod,v1-test

git add --all -- ':!node_modules'
# The last two patterns find words that the script breaks: `Snippet` as `Snipinvoice`, and `a pet` as `a invoice`.
if git grep --line-number -E \
  -e '(^|[^a-z])pet|Pet|PET' -e 'v1-(production|staging)' -e '[a-z]invoice' -e '(^|[^a-z])[Aa] `?[Ii]nvoice' \
  -- ':!*CHANGELOG*' ':!*LICENSE' ':!package-lock.json' ':!infra/templates'; then
  echo 'npm run fork leaves these lines wrong.' >&2
  exit 1
fi
# The license demands the copyright line.
git diff --cached --exit-code HEAD -- LICENSE client/LICENSE
npm run check:types
npm run check:style
npm run check:openapi
npm test
