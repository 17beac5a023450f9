# Somebody who builds on it, in C++ or in scripts.

== A developer runs a GPU kernel without a GPU
$ nonzero check gen:grid:nx=12,ny=12 --kernels gpu/csr/balanced --device emu
> gpu/csr/balanced
! WRONG

== A developer forgets where a kernel runs
$ nonzero run gen:grid:nx=9,ny=9 --kernel gpu/csr/balanced --device cpu
exit 2
> gpu/csr/balanced does not run on cpu

== A developer mistypes a kernel
$ nonzero run gen:grid:nx=9,ny=9 --kernel cpu/csr/seriel
exit 2
> cpu/csr/serial

== A developer asks for kernels by source
$ nonzero list --source csr5,hola --ids
~ csr5
$ nonzero list --source no-such-paper
exit 2
> no kernel has 'no-such-paper' in its source

== A developer wants the ids for a script
$ nonzero list 'cpu/csr/*' --ids | head -1
~ ^cpu/csr/

== A developer completes words in the shell
$ source <(nonzero completion bash); COMP_LINE='nonzero bench --kernels cpu/csr/ser' COMP_POINT=35; _nonzero; echo "${COMPREPLY[@]}"
> cpu/csr/serial
$ nonzero completion tcsh
exit 2
> bash

== A developer reads the manual page
$ nonzero man | groff -man -Tascii -P-cbou -rLL=78n 2>&1 | grep -A3 '^NAME'
> NAME
> nonzero - sparse matrix-vector products

== A developer wants silence
$ nonzero gen grid nx=9 ny=9 -o g.mtx --quiet; echo "said nothing"
! wrote
> said nothing
file g.mtx
$ nonzero info no.mtx --quiet
exit 3
> nonzero: error: no.mtx

== A developer wants to see each step
$ nonzero check gen:grid:nx=9,ny=9 --kernels cpu/csr/serial --verbose
> nonzero
> 81 x 81
> took
$ nonzero check gen:grid --quiet --verbose
exit 2
> take one of them

== A developer pipes a matrix through
$ nonzero gen grid nx=6 ny=6 -o - -q | nonzero info -
> 36 x 36

== A developer pipes into head
$ nonzero list | head -2
> kernel
! error
$ set -o pipefail; nonzero list --long | head -1 > /dev/null; echo "status $?"
> status 0

== A developer's disk is full
$ nonzero list --json - > /dev/full
exit 3
> cannot write to stdout

== A developer passes numbers that no computer has
$ nonzero run gen:grid:nx=9,ny=9 --alpha 1e999
exit 2
> 1e999
$ nonzero run gen:grid:nx=9,ny=9 --threads 0
exit 2
> threads

== A developer asks for several vectors
$ nonzero check gen:grid:nx=20,ny=20 --kernels 'cpu/csr/*' --vectors 3
> cpu/csr/
! WRONG

== A developer pipes a vector through
$ nonzero run gen:grid:nx=6,ny=6 -o - -q | nonzero run gen:grid:nx=6,ny=6 --x -
> |y|
$ nonzero run gen:grid:nx=6,ny=6 -o y.npy -q; nonzero run gen:grid:nx=6,ny=6 --x <(cat y.npy)
> |y|
$ nonzero gen grid nx=6 ny=6 -o - -q | nonzero run - --x -
exit 2
> MATRIX and --x are both -
