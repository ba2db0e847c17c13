# ringcheck as one static program, run by nobody in particular:
#   docker build -t ringcheck .
#   docker run --rm -v "$PWD:/work" ringcheck check my.ring -n 3
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/ringcheck ./cmd/ringcheck && mkdir -m 1777 /out/tmp /out/work

FROM scratch
COPY --from=build /out/ /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/ringcheck"]
