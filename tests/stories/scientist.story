# Somebody with a matrix of their own and a question about it.

== A scientist solves a system
$ nonzero gen grid nx=40 ny=40 -o A.mtx -q
! wrote
$ nonzero solve A.mtx -o x.mtx
> cg
> wrote x.mtx: 1,600 elements
> converged
file x.mtx

== A scientist sees the convergence
$ nonzero solve gen:grid:nx=30,ny=30 --history h.csv --plot p.pdf
> converged
file h.csv
file p.pdf
$ head -2 h.csv
> iteration,residual
~ ^0,

== A scientist plots it for a talk
$ nonzero solve gen:grid:nx=30,ny=30 --plot p.png
> converged
file p.png
$ nonzero solve gen:grid:nx=30,ny=30 --plot p.bmp
exit 2
> a plot is written as .svg, .pdf or .png

== A scientist has a right-hand side
$ printf '%%%%MatrixMarket matrix array real general\n3 1\n2\n4\n8\n' > b.mtx
$ printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 4\n3 3 8\n' > A.mtx
$ nonzero solve A.mtx --rhs b.mtx -o x.mtx
> converged
$ tail -3 x.mtx
~ ^(1|0\.99999999\d*|1\.0000000\d*)$
~ ^(1|0\.99999999\d*|1\.0000000\d*)$
~ ^(1|0\.99999999\d*|1\.0000000\d*)$

== A scientist has a right-hand side of the wrong size
$ printf '%%%%MatrixMarket matrix array real general\n2 1\n2\n4\n' > b.mtx
$ nonzero solve gen:grid:nx=3,ny=3 --rhs b.mtx
exit 3
> b.mtx
> 2
> 9

== A scientist tries a preconditioner
$ nonzero solve gen:grid:nx=30,ny=30 --preconditioner ic0
> converged

== A scientist does not wait for convergence
$ nonzero solve gen:grid:nx=60,ny=60 --max-iterations 3
exit 1
> try

== A scientist has a matrix that is not square
$ printf '%%%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 2 1\n3 1 1\n' > tall.mtx
$ nonzero solve tall.mtx
> lsqr
> converged
$ nonzero solve tall.mtx --method cg
exit 2
> 3 x 2
$ nonzero pagerank tall.mtx
exit 2
> square

== A scientist ranks a graph
$ printf '# from to\n1 2\n2 3\n3 1\n4 3\n' > g.txt
$ nonzero info g.txt
> 4 x 4, 4 nonzeros
$ nonzero pagerank g.txt --top 2
> converged
> 3

== A scientist has counts, not probabilities
$ printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 3\n1 2 1\n2 1 1\n' > counts.mtx
$ nonzero stationary counts.mtx
exit 1
> adds up to 4
> --normalise
$ nonzero stationary counts.mtx --normalise
> probability 0.8
> converged

== A scientist stops a long solve and goes on with it
$ nonzero solve gen:grid:nx=700,ny=700 --tolerance 1e-13 --check-every 1 --max-iterations 1000000 --checkpoint x.npy -o out.npy
^C cg iteration [1-9]
exit 130
> interrupted after
> --x0
file out.npy
$ nonzero solve gen:grid:nx=700,ny=700 --x0 out.npy --max-iterations 5
exit 1

== A scientist multiplies files
$ nonzero run gen:grid:nx=20,ny=20 -o y.npy
> wrote y.npy: 400 elements
file y.npy
$ nonzero run gen:grid:nx=20,ny=20 --x y.npy --transpose -o z.mtx
> wrote z.mtx: 400 elements
$ head -2 z.mtx
> %%MatrixMarket matrix array real general

== A scientist brings a vector of the wrong size
$ nonzero run gen:grid:nx=20,ny=20 -o y.npy
> wrote
$ nonzero run gen:grid:nx=10,ny=10 --x y.npy
exit 3
> y.npy
> 400
> 100

== A scientist has nowhere to write
$ nonzero run gen:grid -o no/such/folder/y.npy
exit 3
> no/such/folder
$ nonzero run gen:grid -o y.dat
exit 2
> .mtx, .mtx.gz, .mtx.zst or .npy

== A scientist's file is broken
$ printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 3 1\n' > broken.mtx
$ nonzero info broken.mtx
exit 3
> broken.mtx:4:

== A scientist's file claims too much
$ printf '%%%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 1\n1 1 1\n' > bomb.mtx
$ nonzero info bomb.mtx
exit 3
> memory
$ nonzero info gen:grid --memory-limit 5ib
exit 2
> '5ib' is not a size; write 500000, 800k, 20M or 1.5G

== A scientist packs a matrix
$ nonzero gen rmat scale=8 -o g.nzb
file g.nzb
$ nonzero convert g.nzb g.mtx.gz
> wrote g.mtx.gz
$ nonzero convert g.mtx.gz g.mtx.gz
exit 2
> one would overwrite the other
$ gzip -t g.mtx.gz && nonzero info g.mtx.gz
> 256 x 256
