# Somebody who lives in Python, and calls the program from there.

== A Python user reads what info says
$ nonzero info gen:grid:nx=12,ny=11 --json - | python3 -c 'import json, sys; m = json.load(sys.stdin)[0]; print(m["rows"], m["nnz"], [f["format"] for f in m["formats"]][:2])'
> 132
> csr

== A Python user lists kernels as data
$ nonzero list 'cpu/csr/*' --json - | python3 -c 'import json, sys; print([k["id"] for k in json.load(sys.stdin) if k["deterministic"]][0])'
> cpu/csr/

== A Python user reads a vector
$ nonzero run gen:diagonal:n=5 -o y.npy -q
! wrote
$ python3 -c 'import struct; b = open("y.npy", "rb").read(); print(b[:6], len(b) - 10 - struct.unpack("<H", b[8:10])[0])'
> NUMPY
> 40

== A Python user solves and asks for the residual
$ nonzero solve gen:grid:nx=20,ny=20 --json - | python3 -c 'import json, sys; r = json.load(sys.stdin); print("small" if r["true_residual"] < 1e-6 else "large", r["iterations"] > 3)'
> small True

== A Python user reads a record
$ nonzero bench gen:grid:nx=20,ny=20 --kernels cpu/csr/serial --ops N --time-limit 0.005 --buffer 4 --json - | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["schema"], r["results"][0]["status"])'
> nonzero-bench/1 ok

== A Python user gets numbers that count from 0
$ printf '1 2\n2 3\n3 1\n4 3\n' > g.txt
$ nonzero pagerank g.txt --top 1 --json - | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["index_base"])'
> 0
