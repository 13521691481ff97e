#!/usr/bin/env bash
# Installs a build into a fresh prefix, builds examples/ against nothing but that prefix, and compares what it prints; once in
# memory, once on a file.   usage: check.sh BUILD-DIR
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT

cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
[ -x "$scratch/prefix/bin/fornix" ]
# The public surface and nothing else.
diff <(cd include && find fornix -name '*.h' | sort) <(cd "$scratch/prefix/include" && find . -type f | sed 's|^\./||' | sort)

cmake -S examples -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
ninja -C "$scratch/build" --quiet
# No path of this tree may have come along, or the package works on the building machine only.
if grep -rnF --include='*.cmake' "$PWD" "$scratch/prefix"; then exit 1; fi

cat >"$scratch/expected" <<'TEXT'
0.997  ran ten kilometres by the river    -> run a marathon
0.877  bought new running shoes           -> run a marathon
TEXT
for place in ":memory:" "$scratch/example.fornix"; do
  "$scratch/build/embedded" "$place" | diff "$scratch/expected" -
done
echo "install: the example builds against the installed tree and answers rightly"
