# Builds from this repository alone: docker build -t hashrange .
# The image holds one static program, no shell and no other user than its own.
FROM docker.io/library/rust:1.90-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo rustc --profile dist --locked -p hashrange-cli --bin hashrange -- -C target-feature=+crt-static \
    && mkdir -p /image/program /image/data \
    && cp target/dist/hashrange LICENSE NOTICE /image/program/

FROM scratch
LABEL org.opencontainers.image.title="hashrange" \
      org.opencontainers.image.description="A database with DynamoDB's data model and wire protocol" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image/program /
COPY --from=build --chown=65532:65532 /image/data /data
USER 65532:65532
# Inside the container every address is the container's; who may reach it is for -p to say.
ENV HASHRANGE_HOST=0.0.0.0 \
    HASHRANGE_INSECURE=true \
    HASHRANGE_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=2s --timeout=6s --start-period=30s CMD ["/hashrange", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/hashrange"]
CMD ["serve"]
