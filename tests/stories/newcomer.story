# Somebody who has just heard of it.

== A newcomer asks what there is
$ nonzero --help
> Sparse matrix-vector products
> Subcommands:
> info
> solve
> bench
> nonzero demo

== A newcomer types the name alone
$ nonzero
exit 2
> nonzero: error:
> Subcommands:

== A newcomer asks for the version
$ nonzero --version
~ ^nonzero \d+\.\d+\.\d+$
> commit
> compiler
> CUDA
$ nonzero version
~ ^nonzero \d+\.\d+\.\d+$

== A newcomer reads the page of one command
$ nonzero help info
> Usage: nonzero info
> MATRIX
> --json
> Examples:

== A newcomer sees the demo
$ nonzero demo --small
> cpu/csr/serial
! wrong

== A newcomer makes a matrix and looks at it
$ nonzero gen grid nx=30 ny=30 -o grid.mtx
> wrote grid.mtx: 900 x 900
file grid.mtx
$ nonzero info grid.mtx
> grid.mtx
~ shape +900 x 900
> symmetry
> format

== A newcomer looks at a picture in the terminal
$ nonzero spy gen:grid:nx=20,ny=20
> 400 x 400
~ [⠀-⣿]{5}

== A newcomer saves the picture
$ nonzero spy gen:grid:nx=20,ny=20 -o grid.png
> wrote grid.png
file grid.png

== A newcomer lists what can be generated
$ nonzero gen --list
> grid
> rmat
> like:
> ecology1

== A newcomer lists the kernels
$ nonzero list
> cpu/csr/serial
~ \d+ kernels

== A newcomer asks for one kernel
$ nonzero list cpu/sell/serial
> cpu/sell/serial
> rows of a slice

== A newcomer asks what this machine has
$ nonzero doctor --quick
> threads
$ nonzero devices --quick
> cpu

== A newcomer mistypes a command
$ nonzero bnech gen:grid
exit 2
> no subcommand 'bnech'; did you mean bench?

== A newcomer mistypes an option
$ nonzero solve gen:grid:nx=9,ny=9 --tolerence 1e-3
exit 2
> no option --tolerence; did you mean --tolerance?
> nonzero solve --help

== A newcomer mistypes a family
$ nonzero info gen:gird
exit 2
> no family 'gird' of matrices; nearest: grid

== A newcomer forgets the prefix
$ nonzero info grid:nx=10,ny=10
exit 3
> gen:grid:nx=10,ny=10

== A newcomer names a file that is not there
$ nonzero info no-such-file.mtx
exit 3
> nonzero: error: no-such-file.mtx

== A newcomer installs it and reads the manual page
$ $SOURCE/scripts/install.sh $BUILD $PWD/here
> Installed to
> program
> bin/nonzero
> library
> headers
> pkg-config
> manual
> bash
wide
$ here/bin/nonzero check gen:grid:nx=9,ny=9 --kernels 'cpu/csr/*'
> cpu/csr/serial
$ here/bin/nonzero man | head -3
> .TH NONZERO 1
file here/share/man/man1/nonzero.1*
file here/share/bash-completion/completions/nonzero
