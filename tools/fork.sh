#!/usr/bin/env bash
# Makes a service of another resource of this one, once: renames words, files and stages, and deletes itself.
set -euo pipefail
cd "$(dirname "$0")/.."
usage='npm run fork -- --resource invoice --service billing --stages v1-prod,v1-test

Renames the resource "pet", the service "pet store" and the stages v1-production and v1-staging in all files. Each
name is one word of lower-case letters. A stage begins with v1-, the version of the interface. Needs git and perl.'

fail() {
  echo "$1" >&2
  exit 2
}

resource='' service='' stages=''
[ "${1-}" != --help ] || { echo "$usage" && exit; }
while [ $# -gt 0 ]; do
  case $1 in
    --resource) resource=${2-} ;;
    --service) service=${2-} ;;
    --stages) stages=${2-} ;;
    *) fail "$usage" ;;
  esac
  shift 2 || fail "$usage"
done
for name in "$resource" "$service"; do
  [[ $name =~ ^[a-z]{2,20}$ ]] || fail "\"$name\" is not a word of 2 to 20 lower-case letters.

$usage"
done
production=${stages%%,*} staging=${stages#*,}
for stage in "$production" "$staging"; do
  # Each function has an alias "live", which the rule for names of stages would find.
  [[ $stage =~ ^v1-[a-z0-9][a-z0-9-]{0,35}[a-z0-9]$ && $stage != v1-live && $production != "$staging" ]] ||
    fail "--stages takes the names of production and staging, such as v1-prod,v1-test, but not v1-live."
done
git diff --quiet HEAD || fail 'Commit your changes first, so that you can compare with them and go back.'

# "an invoice", but "a bill"
article=''
[[ $resource != [aeiou]* ]] || article="s/\\b(a) (\`?$resource)/\$1n \$2/gi;"
rename="next if /\"integrity\":/;
  s/pet-?store/$service/g; s/PET_?STORE/${service^^}/g; s/PetStore|[Pp]et [Ss]tore/${service^}/g;
  s/(?<![a-z])pet/$resource/g; s/Pet/${resource^}/g; s/PET/${resource^^}/g; $article
  s/v1-production/$production/g; s/v1-staging/$staging/g;"

# .gitignore will not name the data of npm start any more, with its API key.
rm -rf .petstore
git rm -q tools/fork.sh test/fork.sh
perl -ni -e 'print unless /"fork"|test:fork/' .ci/run package.json
perl -0pi -e 's/(## Fork it\n).*?(?=\nThe words)/$1/s' CONTRIBUTING.md
git ls-files | grep -vE 'CHANGELOG|LICENSE|\.png$' | xargs perl -pi -e "$rename"
git ls-files | while read -r file; do
  new=$(perl -pe "$rename" <<<"$file")
  [ "$new" = "$file" ] || { mkdir -p "$(dirname "$new")" && git mv "$file" "$new"; }
done
npm run format && npm run openapi && npm run synth
npx vitest run test/lib/storedItems.test.ts -u -t 'version 1.0.0 writes'
echo "
Everything has its new name. CONTRIBUTING.md, *Fork it*, says what you decide next: the fields, the filter, the
deprecation, the settings, and what is yours: license, changelogs, icon, README.md and SECURITY.md."
