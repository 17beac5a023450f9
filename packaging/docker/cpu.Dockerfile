# The program and the library, without CUDA. From the root of the sources:
#   docker build -f packaging/docker/cpu.Dockerfile -t nonzero .
#   docker run --rm -v "$PWD:/data" nonzero info /data/matrix.mtx
FROM debian:12 AS build
COPY . /src
RUN /src/packaging/docker/build.sh cpu /opt/nonzero

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libboost-context1.74.0 libfmt9 libgomp1 libpng16-16 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/nonzero /opt/nonzero
ENV PATH=/opt/nonzero/bin:$PATH
WORKDIR /data
ENTRYPOINT ["nonzero"]
CMD ["--help"]
