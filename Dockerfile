# clgauss in a small image, with PoCL so that any CPU is a device:
#   docker build -t clgauss . && docker run --rm -v "$PWD:/work" clgauss solve data/systems/random_1012.txt -o x.txt
# A GPU: docs/devices.md.
FROM debian:12-slim AS build
COPY . /clgauss
WORKDIR /clgauss
RUN bash -c 'source .install.sh && install_packages "${build_packages[@]}" dpkg-dev file libopenblas-dev' \
 && cmake --preset package && cmake --build --preset package && cd build-package && cpack -G DEB

FROM debian:12-slim
COPY --from=build /clgauss/build-package/*.deb /tmp/
RUN apt-get update -q \
 && apt-get install -y -q --no-install-recommends /tmp/clgauss_*.deb /tmp/libclgauss1_*.deb /tmp/libclgauss-formats_*.deb pocl-opencl-icd \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["clgauss"]
CMD ["devices"]
