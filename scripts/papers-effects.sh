#!/usr/bin/env bash
# What the differences between our kernels and the papers' cost: `scripts/papers-effects.sh OUTDIR` measures in at most
# seven and a half minutes what docs/papers/*.md say under "Where ours differs", by parameters that the kernels have for
# it, with a finished build (targets nonzero-cli and paper_clock) on a machine with an NVIDIA GPU. Every part has a
# limit, and what it has measured until then stays. Leaves effects.tar.gz with the records, counters.csv, launches.csv, log.txt and
# summary.txt in OUTDIR. The host's cores are measured after the GPU.
#
# From the environment: BUILD, DEVICE, PARTS (which of them), SECONDS_IN_ALL. SMALL=1 tries everything on
# small matrices; DEVICE=emu, which verifies and times nothing, does so, too.
set -uo pipefail
[ $# -eq 1 ] || { echo "usage: papers-effects.sh OUTDIR" >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build/gpu}
device=${DEVICE:-cuda:0}
[ "$device" != emu ] || SMALL=1
small=${SMALL:+1}
parts=${PARTS:-scalars blocks bsr scans scaling rows cited threads launches counters esb batches clock conversion}
deadline=${SECONDS_IN_ALL:-448}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$out/summary.txt"
: >"$out/log.txt"
export NONZERO_TUNING=off
failed=0

# part NAME SECONDS: runs do_NAME, whose commands share what is left of the limit.
part() {
  local name=$1 begin=$SECONDS code
  case " $parts " in *" $name "*) ;; *) return 0 ;; esac
  until=$((begin + $2))
  [ $until -le "$deadline" ] || until=$deadline
  echo "== $name" >>"$out/log.txt"
  "do_$name" >>"$out/log.txt" 2>&1
  code=$?
  [ $code -eq 0 ] || failed=1
  printf '%-10s %4s s  %s\n' "$name" $((SECONDS - begin)) "$([ $code -eq 0 ] && echo done || echo "ended with $code")" |
    tee -a "$out/summary.txt"
  tar -C "$work" -czf "$out/effects.tar.gz" .
}
# Ends a command in time; an interrupted bench keeps what it has.
limited() {
  local left=$((until - SECONDS))
  [ $left -gt 1 ] || return 124
  timeout -s INT -k 5 $left "$@"
}
# bench NAME ARGUMENTS: a record of that name.
bench() {
  local name=$1 code
  shift
  limited "$build/nonzero" bench --ops "${ops:-N}" --json "$work/$name.json" ${small:+--buffer 1} "$@"
  code=$?
  [ $code -eq 0 ] || { echo "bench $name ended with $code"; failed=1; }
  return $code
}
on_gpu() { bench "$@" --device "$device" --time-limit 0.03; }

# Matrices of the papers, or as many small ones.
like() {
  local name
  for name in "$@"; do
    if [ -n "$small" ]; then echo "$name=gen:profile:rows=300,cols=300,nnz=2000,min=1,max=40,shape=1"; else echo "$name=like:$name"; fi
  done
}
band=gen:block-band:n=32000,block=5,density=0.05
ideal=gen:ideal:n=8192,block=128,nnz=3406208
sparse=gen:random:rows=8192,cols=8192,density=0.005
giant=gen:giant:n=30000000,length=26000000,degree=1
if [ -n "$small" ]; then
  giant=gen:giant:n=300,length=200,degree=1
  band=gen:block-band:n=200,block=5
  ideal=gen:ideal:n=256,block=128,nnz=3328
  sparse=gen:random:rows=300,cols=300,density=0.03
fi

# y = A x without scalars, and what counts in 32 bits: each alone and both; the hybrid's shared memory.
do_scalars() {
  local forms=(--param bare=0,1 --param index_bits=32,64) kernels=gpu/csr/thread-per-row,gpu/csr/warp-per-row name
  for name in one-thread-per-row one-warp-per-row coalesced-bins hybrid; do
    kernels+=,gpu/csr/$name,gpu/csr/$name-plain
  done
  on_gpu scalars $(like crankseg_1 ecology1 F1 af23560 cage14 great-britain_osm) "${forms[@]}" --kernels "$kernels"
  ops=N,T on_gpu scalars-izawa "ideal=$ideal" "random-half=$sparse" --types f32 "${forms[@]}" --param beta=32 \
    --kernels 'gpu/gcsb/thread-per-block,gpu/csb-baseline/thread-per-block,gpu/coo/scatter,gpu/csr/thread-per-row-scatter,gpu/ell/thread-per-row-row-major'
  on_gpu scalars-dinoia $(like delaunay_n23 mouse_gene) --types f32 "${forms[@]}" \
    --kernels 'gpu/coo/thread-per-entry,gpu/coo/ps-32-warp-equals,gpu/coo/ps-32-warp-jump-block,gpu/coo/ps-1024'
  on_gpu hybrid-shared $(like crankseg_1 ecology1 F1) --kernels gpu/csr/hybrid --param shared_values=8,136
}
# messa2025: as many blocks as a multiprocessor holds at once, or more, with launch bounds and without. Counted in 32
# bits a warp a row needs fewer registers than in 64, and one block more fits.
do_blocks() {
  on_gpu blocks-per-sm $(like crankseg_1 ecology1 F1 inline_1) --param blocks_per_sm=4,5,6,7,8 --param launch_bounds=0,1 \
    --param index_bits=32,64 --kernels gpu/csr/one-warp-per-row,gpu/csr/coalesced-bins
}
# chirila2025: 64-bit places, listing 12's four calls; tall blocks with all of their rows at once. With 16 rows there is
# one call and no more, so there is one with 8, too. A limit of 32 registers with places of either width. All with the
# same launch, not with that which each kernel begins with.
do_bsr() {
  local launch='--param oversubscription=8'
  on_gpu bsr-listings "$band" --kernels 'gpu/bsr/row-major,gpu/bsr/thread-private,gpu/bsr/vector' \
    $launch --param registers=0 --param index_bits=32,64 --param calls=1,4 --param threads=32,64,256
  on_gpu bsr-tall "$band" --kernels gpu/bsr/vector --param block_rows=16 --param block_cols=1 \
    $launch --param calls=1 --param rows_at_once=8,16 --param threads=32,64,128,256
  on_gpu bsr-registers "$band" --kernels gpu/bsr/row-major,gpu/bsr/thread-private --param registers=0,32 \
    $launch --param index_bits=32,64 --param threads=64,256,1024
}
# dinoia2025: what its program's scans have and ours do not.
do_scans() {
  local all
  all=$(like delaunay_n23 mouse_gene)
  on_gpu scans-tree $all --types f32 --kernels 'gpu/coo/ps-work-efficient' --param padding=0,1 --param apart=0,1 \
    --param halves=0,1 --param threads=128,512
  on_gpu scans-tree-32 $all --types f32 --kernels 'gpu/coo/ps-32-work-efficient' --param padding=0,1 --param apart=0,1
  on_gpu scans-1024 $all --types f32 --kernels 'gpu/coo/ps-1024,gpu/coo/ps-1024-equals' --param threads=128,1024
  on_gpu scans-32 $all --types f32 --kernels 'gpu/coo/ps-32,gpu/coo/ps-32-equals' --param in_place=0,1
}
# The launch that scales y before others add to it: with beta = 1 there is none.
do_scaling() {
  local beta
  for beta in 0 1; do
    on_gpu scaling-beta-$beta "ideal=$ideal" "random-half=$sparse" $(like delaunay_n23 mouse_gene) --types f32 --beta $beta \
      --kernels 'gpu/coo/scatter,gpu/coo/thread-per-entry,gpu/coo/ps-32-warp-jump-block,gpu/csb-baseline/thread-per-block,gpu/gcsb/thread-per-block,gpu/csr/row-blocks,gpu/csr/merge-path,gpu/csr/hola'
  done
}
# The symmetric matrix in a file of its lower half, completed, and with a zero more in each column of row 0: of such
# matrices mazzucchi2025's program has so many zeros in row 0, all in column 0.
with_row_0() {
  awk 'BEGIN { OFS = " " } /^%/ { next } !n { n = $1; next }
    { line[++m] = $1 " " $2 " " $3; if ($1 != $2) line[++m] = $2 " " $1 " " $3 }
    END {
      print "%%MatrixMarket matrix coordinate real general" > plain
      print "%%MatrixMarket matrix coordinate real general" > more
      print n, n, m > plain
      print n, n, m + n > more
      for (i = 1; i <= m; ++i) { print line[i] > plain; print line[i] > more }
      for (i = 1; i <= n; ++i) print 1, i, 0 > more }' plain="$2" more="$3" "$1"
}
# Rows by length, blocks of 128 threads and of 256, ELL by columns, and those zeros.
do_rows() {
  local name all= code both=gpu/csr/thread-per-row,gpu/csr/warp-per-row
  on_gpu swizzle $(like wiki-Talk af23560 neos3 cage14) --param swizzle=0,1 --kernels $both
  on_gpu threads-mazzucchi $(like bcsstk13 af23560 neos3 ins2 helm2d03 wiki-Talk pkustk14) --param threads=128,256 \
    --kernels $both
  for name in bcsstk13 helm2d03; do
    limited "$build/nonzero" convert "$(like $name | sed 's/^[^=]*=//')" "$work/$name.mtx" &&
      with_row_0 "$work/$name.mtx" "$work/$name-plain.mtx" "$work/$name-row-0.mtx" &&
      all="$all $work/$name-plain.mtx $work/$name-row-0.mtx"
  done
  on_gpu ell "ideal=$ideal" "random-half=$sparse" --types f32 \
    --kernels 'gpu/ell/thread-per-row,gpu/ell/thread-per-row-row-major' --param by_columns=0,1
  on_gpu row-0 $all --param bare=0,1 --kernels $both
  code=$?
  rm -f "$work"/*.mtx
  return $code
}
# Cited methods: heights, tiles and launch bounds beside those that ours take.
do_cited() {
  local suite=(--suite gpu --only 'fem3,mycielskian,rmat-300k,random-5,lp-1m')
  [ -z "$small" ] || suite=($(like a b))
  on_gpu cited-hola "${suite[@]}" --types f32,f64 --kernels gpu/csr/hola --param bounds=0,1
  on_gpu cited-csr5 "${suite[@]}" --types f32,f64 --kernels gpu/csr5/tiles --param sigma=0,4,8,16,32
  on_gpu cited-cmrs "${suite[@]}" --types f32,f64 --kernels gpu/cmrs/warp-per-strip --param height=0,1,2,4,8,16
}
# Threads a block where they have not been varied yet.
do_threads() {
  ops=N,T on_gpu threads-izawa $(like mouse_gene) "random-half=$sparse" "ideal=$ideal" --types f32 \
    --kernels 'gpu/gcsb/thread-per-block,gpu/csr/thread-per-row-scatter,gpu/ecsb/by-rule' --param threads=64,128,256,512 \
    --param beta=32
  on_gpu threads-dinoia $(like mouse_gene circuit5M_dc) --types f32 \
    --kernels 'gpu/coo/thread-per-entry,gpu/coo/ps-32-warp,gpu/coo/ps-32-warp-equals' --param threads=64,128,256,512,1024
}
# What NVIDIA's profiler counts in one product: count TYPE MATRIX KERNEL NAME [--param ...].
counted='gpu__time_duration.sum launch__registers_per_thread sm__warps_active.avg.pct_of_peak_sustained_active
  l1tex__t_sectors_lookup_hit.sum l1tex__t_sectors_lookup_miss.sum lts__t_sectors_lookup_hit.sum
  lts__t_sectors_lookup_miss.sum dram__bytes_read.sum dram__bytes_write.sum smsp__inst_executed.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum
  lts__t_sectors_op_red.sum lts__t_sectors_op_atom.sum
  smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio'
count() {
  local type=$1 matrix=$2 kernel=$3 name=$4
  shift 4
  echo "# $kernel $matrix $type $*" >>"$out/counters.csv"
  # The launch after the one that warms up.
  profiled counters.csv "$metrics" "-s 1 -c 1 -k regex:$name" "$matrix" --kernels "$kernel" --types "$type" "$@"
}
# profiled FILE METRICS OPTIONS ARGUMENTS: of a bench with them, what the profiler says with its options.
profiled() {
  local file=$1 metrics=$2 options=$3
  shift 3
  limited ncu --clock-control none --csv --metrics "$metrics" --kernel-name-base demangled $options \
    "$build/nonzero" bench "$@" --ops N --device "$device" --profile |
    tee -a "$out/log.txt" | grep '^"' |
    sed -E 's/^"[^"]*","[^"]*","[^"]*","[^"]*",("[^"]*"),.*,("[^"]*","[^"]*","[^"]*")$/\1,\2/' >>"$out/$file"
}
has_profiler() {
  command -v ncu >/dev/null || export PATH=$PATH:/usr/local/cuda/bin
  command -v ncu >/dev/null || { echo "no ncu"; return 1; }
}
# What the launches of a product take, of which merge path and CSR5 have up to four, beside the product as a whole: of
# two products or more, so the last ones count.
do_launches() {
  local matrix kernel names=grid5-1k,giant-3k,band-10k,grid7-30k,road-100k,rmat-300k,lp-1m
  : >"$out/launches.csv"
  local suite=(--suite gpu --only "$names")
  [ -z "$small" ] || suite=($(like a b))
  on_gpu launches "${suite[@]}" --types f32 --kernels gpu/csr/merge-path,gpu/csr5/tiles,gpu/csr/row-blocks
  has_profiler || return 1
  for matrix in ${names//,/ }; do
    for kernel in gpu/csr/merge-path gpu/csr5/tiles; do
      echo "# $kernel $matrix f32" >>"$out/launches.csv"
      profiled launches.csv gpu__time_duration.sum "-c 16 -k regex:Merge|Csr5|Scale" --suite gpu --only "$matrix" \
        --kernels $kernel --types f32
    done
  done
}
# As the kernels begin, but for places in 32 bits.
do_counters() {
  local m known metric rows
  : >"$out/counters.csv"
  has_profiler || return 1
  # One that this profiler does not know would cost all the others.
  known=$(limited ncu --query-metrics 2>/dev/null)
  metrics=
  for metric in $counted; do
    case $metric in
      launch__*) ;;
      *) [ -z "$known" ] || grep -qw "^${metric%%.*}" <<<"$known" || { echo "no metric $metric"; continue; } ;;
    esac
    metrics+=${metrics:+,}$metric
  done
  for m in $(like af23560 cage14); do
    count f64 "${m#*=}" gpu/csr/thread-per-row ThreadRows
    count f64 "${m#*=}" gpu/csr/warp-per-row Warps
  done
  m=$(like mawi_201512012345)
  count f64 "${m#*=}" gpu/csr/one-warp-per-row StridingWarps --param launch_bounds=0
  count f64 "${m#*=}" gpu/csr/one-warp-per-row StridingWarps --param launch_bounds=1
  count f64 "$band" gpu/bsr/thread-private ThreadPrivateSums --param index_bits=32 --param threads=32 \
    --param oversubscription=8 --param registers=0
  count f64 "$band" gpu/bsr/thread-private ThreadPrivateSums --param index_bits=32 --param threads=64 \
    --param oversubscription=8 --param registers=0
  for rows in 8 16; do
    count f64 "$band" gpu/bsr/vector VectorSums --param block_rows=16 --param block_cols=1 --param calls=1 \
      --param index_bits=32 --param rows_at_once=$rows --param threads=32 --param oversubscription=8
  done
  m=$(like olafu)
  count f32 "${m#*=}" gpu/gcsb/jagged JaggedGroups --param beta=32
  count f32 "${m#*=}" gpu/gcsb/thread-per-block GroupedBlocks --param beta=32
  # A row with half of all entries, as in dinoia2025's mawi but smaller.
  count f32 "$giant" gpu/coo/ps-32-warp-equals WarpScan
  count f32 "$giant" gpu/coo/ps-32-warp-jump-block JumpBlock
}
# ESB, which is for CPUs, beside plain CSR.
do_esb() {
  local suite=(--suite cpu --only 'fem3,uniform-long,road,band-sparse,rmat,mycielskian') each=0.2
  [ -z "$small" ] || suite=($(like a b)) each=0
  bench esb "${suite[@]}" --types f64 --time-limit $each --kernels 'cpu/esb/*,cpu/csr/balanced,cpu/csr/omp-rows'
}
# chirila2025 on the host's cores as the paper has it: 200 calls, alpha and beta, twice and four times as many threads.
do_batches() {
  local threads=16,32,64 together=200 each=1
  [ -z "$small" ] || threads=1,2 together=3 each=0
  bench cpu-batches "$band" --types f64 --time-limit $each --threads $threads --together $together --alpha 0.5 --beta 0.5 \
    --param chunks_per_thread=8 --param first_pass=0,1 --kernels \
    'cpu/bsr/preprocessed-tasks,cpu/bsr/granular-row,cpu/bsr/fixed-size-tasks,cpu/bsr/fixed-max-task,cpu/bsr/intra-row-improved'
}
# y in memory that host and GPU share, cleared by the host before each product, as dinoia2025's program has it; the first
# product of a kernel, as mazzucchi2025's times it. Last: what takes shared memory may trouble the GPU.
do_clock() {
  [ -x "$build/paper_clock" ] || { echo "no $build/paper_clock"; return 1; }
  limited "$build/paper_clock" f64 gpu/csr/thread-per-row,gpu/csr/warp-per-row $(like af23560 bcsstk13 neos3 cage14) \
    >"$work/clock-first.json"
  limited "$build/paper_clock" f32 gpu/coo/thread-per-entry,gpu/coo/ps-32-warp-jump-block \
    $(like model7 delaunay_n23 circuit5M_dc hugetrace-00000 mouse_gene) >"$work/clock-shared.json"
}
# mazzucchi2025's conversion on one thread and on all; its CPU columns come along.
do_conversion() {
  local size=1
  [ -z "$small" ] || size=0.0005
  limited "$build/nonzero" reproduce mazzucchi2025 --device cpu --scale $size --seconds 0.001 --json "$work/conversion.json" >/dev/null
}

part scalars 80
part blocks 30
part bsr 22
part scans 18
part scaling 18
part rows 30
part cited 24
part threads 16
part launches 60
part counters 46
part esb 26
part batches 32
part clock 20
part conversion 20
printf '%-10s %4s s\n' "in all" $SECONDS | tee -a "$out/summary.txt"
ls -l "$out"
exit $failed
