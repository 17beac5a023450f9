# Somebody who measures, and writes a paper about it.

== A researcher measures two kernels
$ nonzero bench gen:grid:nx=40,ny=40 --kernels 'cpu/csr/serial,cpu/sell/serial' --time-limit 0.01 --buffer 4 --json r.json
> cpu/csr/serial
> cpu/sell/serial
file r.json
$ nonzero compare r.json --ours cpu/sell/serial --peers cpu/csr/serial
> geometric mean
$ nonzero report r.json -o r.html --figures figures --dpi 60
> wrote r.html
> wrote
> figures: svg,pdf,png
file r.html
file figures/kernels-*.pdf
file figures/kernels-*.png
file figures/roofline-*.svg

== A researcher gives the matrices names
$ nonzero gen grid nx=20 ny=20 -o first.mtx.gz -q
! wrote
$ nonzero bench first.mtx.gz 'Laplacian=gen:grid:nx=25,ny=25' --kernels cpu/csr/serial --ops N --time-limit 0.005 --buffer 4 --json r.json
> first
> Laplacian
! first.mtx.gz (
$ grep -o '"matrix": *"[^"]*"' r.json
> "first"
> "Laplacian"

== A researcher gives two matrices one name
$ mkdir a b && nonzero gen diagonal n=9 -o a/m.mtx -q && cp a/m.mtx b/
$ nonzero bench a/m.mtx b/m.mtx --kernels cpu/csr/serial
exit 2
> a/m.mtx and b/m.mtx are both named m: write NAME=b/m.mtx

== A researcher makes figures for a column of a paper
$ nonzero bench gen:grid:nx=30,ny=30 --kernels 'cpu/csr/*' --ops N --time-limit 0.005 --buffer 4 --json r.json -q
> cpu/csr/serial
$ nonzero report r.json --figures f --width 88mm --font 8 --no-title --palette okabe-ito --formats pdf,svg
> wrote
file f/*.pdf
$ grep -c 'width="249.45pt"' f/kernels-*.svg
> 1
$ nonzero report r.json --figures f --width 88
exit 2
> '88' is not a width; write 88mm
$ nonzero report r.json --figures f --palette rainbow
exit 2
> standard, okabe-ito, tol, grey

== A researcher goes on with a record
$ nonzero bench gen:grid:nx=20,ny=20 --kernels cpu/csr/serial --ops N --time-limit 0.005 --buffer 4 --json r.json
file r.json
> cpu/csr/serial
$ nonzero bench gen:grid:nx=20,ny=20 --kernels 'cpu/csr/serial,cpu/ell/serial' --ops N --time-limit 0.005 --buffer 4 --json r.json --resume
> going on with r.json: it has 1 result
> cpu/ell/serial

== A researcher stops a bench and keeps what was measured
$ nonzero bench gen:grid:nx=300,ny=300 --kernels 'cpu/*' --time-limit 2 --noise 0 --buffer 4 --json r.json
^C measuring .* [1-9][0-9]? %
exit 130
> interrupted; r.json has what was measured, and --resume goes on with it
file r.json

== A researcher wants a spreadsheet
$ nonzero bench gen:grid:nx=20,ny=20 --kernels cpu/csr/serial --ops N --time-limit 0.005 --buffer 4 --csv r.csv
> cpu/csr/serial
file r.csv
$ head -1 r.csv
> matrix
> kernel
wide

== A researcher nearly overwrites the graph
$ printf '1 2\n2 1\n' > g.csv
$ nonzero bench g.csv --csv g.csv
exit 2
> MATRIX and --csv both name g.csv: one would overwrite the other
$ cat g.csv
> 1 2

== A researcher nearly overwrites the record
$ nonzero bench gen:grid:nx=20,ny=20 --kernels cpu/csr/serial --ops N --time-limit 0.005 --buffer 4 --json r.json -q
> cpu/csr/serial
$ nonzero report r.json --csv r.json
exit 2
> one would overwrite the other
$ nonzero compare r.json --json r.json
exit 2
> one would overwrite the other

== A researcher compares records that are none
$ echo '{' > r.json
$ nonzero compare r.json
exit 3
> r.json
! exception
$ nonzero report r.json -o r.html
exit 3
> r.json
> none of the records can be reported

== A researcher sweeps a parameter
$ nonzero sweep cpu/sell/serial gen:grid:nx=30,ny=30 --param chunk=4,8 --time-limit 0.005 --buffer 4
> chunk
> 4
> 8

== A researcher checks every kernel on a hard matrix
$ nonzero check gen:rmat:scale=7 --kernels 'cpu/*'
> cpu/csr/serial
> cpu/sell/serial
! WRONG

== A researcher asks what a plan does
$ nonzero plan gen:grid:nx=60,ny=60
> cpu/
$ nonzero plan gen:grid:nx=60,ny=60 --memory-limit 1k
exit 4
> 1.0 KiB

== A researcher asks what can be repeated
$ nonzero reproduce
> chirila2025
> messa2025
$ nonzero reproduce no-such-paper
exit 2
> no-such-paper

== A researcher tunes, and reads only the first line
$ NONZERO_TUNING= NONZERO_CACHE=$PWD/kept nonzero tune --nonzeros 30000 --buffer 1 --seconds 0.001 | head -1
> device
! nonzero: error
file kept/tuning/*

== A researcher tunes for a GPU that is not there
$ nonzero bench gen:grid --device cuda:7
exit 4
> cuda:7
