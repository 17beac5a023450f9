#!/usr/bin/env bash
# How often the loops of dinoia2025's algorithms 1 and 2 refer to memory, and how often they miss its caches, by what the
# compiler does: `scripts/papers-references.sh` counts with valgrind's cachegrind what docs/papers/dinoia2025.md says of table
# IV, and prints it. Two matrices of model7's size: the stand-in, whose columns are anywhere, and one whose rows have theirs
# near each other. The loops are written here, in C as the paper's first program is, and add to y for every entry.
#
# From the environment: BUILD, a build with the program, which makes the matrices.
set -euo pipefail
command -v valgrind >/dev/null || { echo "papers-references: there is no valgrind" >&2; exit 2; }
[ $# -eq 0 ] || { echo "usage: papers-references.sh" >&2; exit 2; }
cd "$(dirname "$0")/.."
build=${BUILD:-build/cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/loops.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

#ifndef INDEX
#define INDEX
#endif

/* Algorithm 1: coordinates, sorted by row. */
static void by_entry(const int* rows, const int* cols, const float* values, const float* x, float* y, const int nnz) {
  INDEX int k;
  for (k = 0; k < nnz; ++k) y[rows[k]] += values[k] * x[cols[k]];
}

/* Algorithm 2: compressed rows. */
static void by_row(const int* starts, const int* cols, const float* values, const float* x, float* y, const int n) {
  INDEX int k = 0;
  INDEX int end;
  for (int row = 0; row < n; ++row) {
    end = starts[row + 1];
    for (; k < end; ++k) y[row] += values[k] * x[cols[k]];
  }
}

/* loops FILE coo|csr PRODUCTS */
int main(int count, char** words) {
  if (count != 4) return 2;
  FILE* file = fopen(words[1], "r");
  char line[1024];
  int n, m, nnz;
  do
    if (!file || !fgets(line, sizeof line, file)) return 3;
  while (line[0] == '%');
  if (sscanf(line, "%d %d %d", &n, &m, &nnz) != 3) return 3;
  int* rows = calloc(nnz, sizeof(int));
  int* cols = calloc(nnz, sizeof(int));
  int* starts = calloc(n + 1, sizeof(int));
  float* values = calloc(nnz, sizeof(float));
  float* x = calloc(m, sizeof(float));
  float* y = calloc(n, sizeof(float));
  for (int k = 0; k < nnz; ++k) {
    if (fscanf(file, "%d %d %f", rows + k, cols + k, values + k) != 3) return 3;
    --cols[k];
    if (k > 0 && rows[k] - 1 < rows[k - 1]) return 4; /* sorted by row */
    ++starts[rows[k]--];
  }
  for (int row = 0; row < n; ++row) starts[row + 1] += starts[row];
  for (int j = 0; j < m; ++j) x[j] = (float)(j % 7);
  for (int p = atoi(words[3]); p > 0; --p)
    if (words[2][1] == 'o')
      by_entry(rows, cols, values, x, y, nnz);
    else
      by_row(starts, cols, values, x, y, n);
  double sum = 0;
  for (int row = 0; row < n; ++row) sum += y[row];
  printf("%g\n", sum);
  return 0;
}
C
# References to data, misses of the first cache and of the last: the caches are those of the paper's EPYC 9334.
count() {
  valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --LL=134217728,16,64 --cachegrind-out-file="$work/out" \
    "$@" >/dev/null 2>"$work/log" || { echo "papers-references: no counts of $*:" >&2; cat "$work/log" >&2; return 1; }
  awk '/^summary:/ { print $5 + $8, $6 + $9, $7 + $10 }' "$work/out"
}
spec=rows=3358,cols=9582,nnz=51027,min=1,max=253,shape=2
declare -A matrices=([anywhere]=like:model7 [near]=gen:profile:$spec,band=100)
for where in anywhere near; do
  # Sorted by row, as the paper assumes it.
  "$build/nonzero" convert "${matrices[$where]}" "$work/unsorted.mtx" >/dev/null
  awk '/^%/ || !size++ { print; fflush(); next } { print | "sort -n -k1,1 -k2,2" }' "$work/unsorted.mtx" >"$work/$where.mtx"
done
echo "500 products: what 101 count more than one, times five. whole: with what the program reads and converts before."
echo "$(${CC:-cc} --version | head -1), $(uname -m), $(valgrind --version)"
echo "commit $(git rev-parse --short=8 HEAD 2>/dev/null || echo unknown)"
echo "near: ${matrices[near]}, anywhere: ${matrices[anywhere]}"
printf '%-9s %-13s %-4s %11s %9s %9s %11s %9s %9s\n' columns compiled loop references "an entry" "misses D1" whole "misses D1" LL
while read -r name options; do
  # shellcheck disable=SC2086
  ${CC:-cc} -std=c11 $options "$work/loops.c" -o "$work/loops"
  for where in anywhere near; do
    for loop in coo csr; do
      once=$(count "$work/loops" "$work/$where.mtx" $loop 1)
      often=$(count "$work/loops" "$work/$where.mtx" $loop 101)
      read -r refs1 first1 last1 <<<"$once"
      read -r refs2 first2 last2 <<<"$often"
      echo "$where $name $loop $refs1 $refs2 $first1 $first2 $last1 $last2" | awk '{
          refs = ($5 - $4) / 100; first = ($7 - $6) / 100; last = ($9 - $8) / 100
          printf "%-9s %-13s %-4s %11d %9.2f %9d %11d %9d %9d\n", $1, $2, $3, 500 * refs, refs / 51027, 500 * first,
            $4 + 499 * refs, $6 + 499 * first, $8 + 499 * last }'
    done
  done
done <<'L'
-O0 -O0
-O0,register -O0 -DINDEX=register
-O3 -O3
L
