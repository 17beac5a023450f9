# The program and the library with CUDA; `docker run --gpus all` shows it the GPUs. From the root of the sources:
#   docker build -f packaging/docker/cuda.Dockerfile -t nonzero:cuda .
#   docker run --rm --gpus all -v "$PWD:/data" nonzero:cuda devices
FROM nvidia/cuda:12.6.3-devel-ubuntu24.04 AS build
COPY . /src
RUN /src/packaging/docker/build.sh gpu /opt/nonzero

FROM nvidia/cuda:12.6.3-base-ubuntu24.04
RUN apt-get update \
 && apt-get install -y --no-install-recommends libboost-context1.83.0 libfmt9 libgomp1 libpng16-16t64 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/nonzero /opt/nonzero
ENV PATH=/opt/nonzero/bin:$PATH
WORKDIR /data
ENTRYPOINT ["nonzero"]
CMD ["--help"]
